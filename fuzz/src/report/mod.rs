//! What a sweep found: `report.json`, the table, JUnit, the page of a finding; and merging.
