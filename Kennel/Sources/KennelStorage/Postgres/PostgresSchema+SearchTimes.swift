extension PostgresSchema {
  /// Adds to the words of a post when its photo was taken, so that a search can sort what it finds without the posts. The time is
  /// NULL in the bin.
  static let searchTimesScript =
    searchTable(words: "s.words") + """

      CREATE FUNCTION search_bin() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        UPDATE search SET taken_local = CASE WHEN NEW.binned IS NULL THEN NEW.taken_local END WHERE post = NEW.id;
        RETURN NULL;
      END $$;
      CREATE TRIGGER search_post_binned AFTER UPDATE OF binned ON posts FOR EACH ROW EXECUTE FUNCTION search_bin();
      """

  /// Adds each word of a post again with the period of its photo, 2³³ milliseconds (99 days), in front of it: `#174#dog`. So a
  /// search can look at one period after the other, and ends when it has found enough. No word of a search begins with `#`.
  ///
  /// A trigger adds the words, so those are right that a process of an earlier version writes. The function ignores what it
  /// has added before. A vector has at most 1 MiB. The words of a post that has too many are made again with the next change.
  static let searchPeriodsScript =
    """
    CREATE FUNCTION search_words(words tsvector, taken_local bigint) RETURNS tsvector LANGUAGE sql IMMUTABLE AS $$
      SELECT words || array_to_tsvector(ARRAY(
        SELECT '#' || (taken_local >> 33) || '#' || word FROM unnest(tsvector_to_array(words)) word
        WHERE NOT starts_with(word, '#')
      ))
    $$;
    INSERT INTO search_changes SELECT post FROM search WHERE octet_length(CAST(words AS text)) >= 400000;

    """
    + searchTable(
      words: """
        CASE WHEN octet_length(CAST(s.words AS text)) < 400000 THEN search_words(s.words, p.taken_local) ELSE s.words END
        """) + """

      CREATE FUNCTION search_periods() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        NEW.words := search_words(NEW.words, (SELECT taken_local FROM posts WHERE id = NEW.post));
        RETURN NEW;
      END $$;
      CREATE TRIGGER search_periods BEFORE INSERT OR UPDATE OF words ON search
        FOR EACH ROW EXECUTE FUNCTION search_periods();
      """

  /// Makes the table of words again, with these words. Changing each row would make it and its index larger and slower.
  private static func searchTable(words: String) -> String {
    """
    CREATE TABLE new_search AS
      SELECT s.post, \(words) AS words, CASE WHEN p.binned IS NULL THEN p.taken_local END AS taken_local
      FROM search s JOIN posts p ON p.id = s.post ORDER BY p.taken_local;
    DROP TABLE search;
    ALTER TABLE new_search RENAME TO search;
    ALTER TABLE search ADD PRIMARY KEY (post), ALTER words SET NOT NULL,
      ADD FOREIGN KEY (post) REFERENCES posts ON DELETE CASCADE;
    CREATE INDEX search_by_word ON search USING gin (words) WITH (fastupdate = off);

    """
  }
}
