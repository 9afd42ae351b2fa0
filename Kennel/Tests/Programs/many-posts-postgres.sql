-- The same as many-posts.sql for PostgreSQL, with the words of the search, which Kennel makes itself otherwise. Run it with psql
-- while no server uses the kennel: psql ADDRESS --set count=1000000 --file many-posts-postgres.sql
\set ON_ERROR_STOP on
BEGIN;
ALTER TABLE posts DISABLE TRIGGER search_post_inserted;
WITH originals AS (
  SELECT row_number() OVER (ORDER BY id) - 1 AS place, count(*) OVER () AS total, * FROM posts WHERE binned IS NULL
), step AS (SELECT 630000000000 / greatest(:count, 50000) AS milliseconds)
INSERT INTO posts (author, photo, caption, created, taken, taken_offset, taken_source, taken_local, metadata, original,
  original_format, part)
SELECT author, photo, 'Copy ' || number, created, taken - number * milliseconds, taken_offset, taken_source,
  taken_local - number * milliseconds, metadata, original, original_format, part
FROM step, generate_series(1, :count) AS number JOIN originals ON place = number % total ORDER BY number;
ALTER TABLE posts ENABLE TRIGGER search_post_inserted;
DROP INDEX search_by_word;
INSERT INTO search (post, words, taken_local)
SELECT id, to_tsvector('simple', caption || ' ' || name) || setweight(to_tsvector('simple', to_char(day, 'YYYY YYYYMM YYYYMMDD mon ')
  || trim(to_char(day, 'month')) || ' ' || trim(to_char(day, 'month')) || to_char(day, 'FMDD')), 'A'), taken_local
FROM (
  SELECT p.id, p.caption, p.taken_local, u.name, to_timestamp(p.taken_local / 1000) AT TIME ZONE 'UTC' AS day
  FROM posts p JOIN users u ON u.id = p.author
  WHERE NOT EXISTS (SELECT 1 FROM search s WHERE s.post = p.id)
) AS added ORDER BY id;
CREATE INDEX search_by_word ON search USING gin (words) WITH (fastupdate = off);
COMMIT;
VACUUM ANALYZE;
