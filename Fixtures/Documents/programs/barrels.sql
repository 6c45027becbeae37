-- Barrels for rain water.
CREATE TABLE IF NOT EXISTS barrels (
    id integer PRIMARY KEY,
    name text NOT NULL DEFAULT 'oak; steel',
    capacity real CHECK (capacity > 0)
);

create unique index barrels_by_name
    on barrels (name)
    where name <> '';

CREATE OR REPLACE VIEW full_barrels AS
SELECT id, name
FROM barrels
WHERE capacity > 100;

INSERT INTO barrels (name, capacity)
VALUES ('a', 1),
       ('b', 2);

CREATE FUNCTION total() RETURNS real AS $$
BEGIN
    RETURN (SELECT sum(capacity) FROM barrels);
END;
$$ LANGUAGE plpgsql;

CREATE TRIGGER barrels_changed
    AFTER UPDATE ON barrels
    FOR EACH ROW
    EXECUTE FUNCTION total();

ALTER TABLE barrels
    ADD COLUMN content real,
    ADD COLUMN material text;

WITH large AS (
    SELECT * FROM barrels
)
SELECT count(*)
FROM large;
