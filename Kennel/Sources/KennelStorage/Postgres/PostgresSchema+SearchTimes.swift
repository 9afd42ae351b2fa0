extension PostgresSchema {
  /// Adds to the words of a post when its photo was taken, so that a search can sort what it finds without the posts. The time is
  /// NULL in the bin. The table is made again, because changing each row would make its index of words larger and slower.
  static let searchTimesScript = """
    CREATE TABLE search_with_times AS SELECT s.post, s.words, CASE WHEN p.binned IS NULL THEN p.taken_local END AS taken_local
      FROM search s JOIN posts p ON p.id = s.post ORDER BY p.taken_local;
    DROP TABLE search;
    ALTER TABLE search_with_times RENAME TO search;
    ALTER TABLE search ADD PRIMARY KEY (post), ALTER words SET NOT NULL,
      ADD FOREIGN KEY (post) REFERENCES posts ON DELETE CASCADE;
    CREATE INDEX search_by_word ON search USING gin (words) WITH (fastupdate = off);

    CREATE FUNCTION search_bin() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      UPDATE search SET taken_local = CASE WHEN NEW.binned IS NULL THEN NEW.taken_local END WHERE post = NEW.id;
      RETURN NULL;
    END $$;
    CREATE TRIGGER search_post_binned AFTER UPDATE OF binned ON posts FOR EACH ROW EXECUTE FUNCTION search_bin();
    """
}
