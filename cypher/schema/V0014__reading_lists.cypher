// Reading lists have different names.
CREATE CONSTRAINT reading_list_name IF NOT EXISTS FOR (l:ReadingList) REQUIRE l.name IS UNIQUE;
