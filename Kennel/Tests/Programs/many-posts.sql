-- Makes a kennel of any size from one with a few posts: copies of them, 3.5 hours apart, or closer if there are more than
-- 50,000, so that they are of the last twenty years. The copies share the photos of the posts. Run it while no server
-- uses the kennel. Parameter: the number of posts to add.
WITH RECURSIVE copies(number) AS (
  SELECT 1 WHERE ?1 > 0 UNION ALL SELECT number + 1 FROM copies WHERE number < ?1
), originals AS (
  SELECT row_number() OVER (ORDER BY id) - 1 AS place, count(*) OVER () AS total, * FROM posts WHERE binned IS NULL
)
INSERT INTO posts (author, photo, caption, created, taken, taken_offset, taken_source, taken_local, metadata, original,
  original_format, part)
SELECT author, photo, 'Copy ' || number, created, taken - number * (630000000000 / max(?1, 50000)), taken_offset,
  taken_source, taken_local - number * (630000000000 / max(?1, 50000)), metadata, original, original_format, part
FROM copies JOIN originals ON place = number % total ORDER BY number;
