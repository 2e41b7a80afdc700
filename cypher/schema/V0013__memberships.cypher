// What a venue declares of people and institutions is found, and removed, by its name.
CREATE INDEX member_of_venue IF NOT EXISTS FOR ()-[m:MEMBER_OF]-() ON (m.venue);
CREATE INDEX related_to_venue IF NOT EXISTS FOR ()-[t:RELATED_TO]-() ON (t.venue);
CREATE INDEX within_venue IF NOT EXISTS FOR ()-[w:WITHIN]-() ON (w.venue);
