"""Assignment of reviewers to papers under demands.

Papers and reviewers are numbers from 0, except in `venue_assignment`, which reads a venue of the
graph. The functions take an `AssignmentProblem`:

    assign           the highest total affinity, exact
    assign_fairly    the worst-off papers first
    lottery          probabilities under a maximum, and draws
    reassign         as few changes of a present assignment as possible
    explain          the reasons why no assignment exists, and the smallest change that helps
"""
