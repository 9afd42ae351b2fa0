extension Migration {
  /// Adds the search: an index of the words of each post.
  ///
  /// Triggers note each post whose words change, by any statement, and the words are brought up to date before the commit of
  /// the change. Triggers may not write to the index themselves, because SQLite does not trust the schema of a file with that.
  ///
  /// A row of `search` has the number of its post. Its contents are those of `search_documents`, so the two can be compared,
  /// and the index can be rebuilt. Posts in the bin are in it too; queries leave them out. A day is one word, such as
  /// `20240714`, and so is a day of any year, such as `july14`. The latest 200 comments of a post are found, so that a comment
  /// does not cost more the more there are.
  ///
  /// A later step that makes one of these tables again must also make its triggers again.
  static let search = Migration(
    script: """
      CREATE VIRTUAL TABLE search USING fts5(
        caption, author, comments, dates, tokenize = "unicode61 remove_diacritics 2", prefix = '1 2 3'
      );
      CREATE VIEW search_documents (id, caption, author, comments, dates) AS
      SELECT p.id, p.caption, coalesce(p.peer_author, u.name),
        coalesce((
          SELECT group_concat(text, char(10)) FROM (
            SELECT text FROM comments WHERE post = p.id ORDER BY id DESC LIMIT 200
          )
        ), ''),
        coalesce(
          strftime('%Y %Y%m %Y%m%d ', p.taken_local / 1000, 'unixepoch')
          || CASE strftime('%m', p.taken_local / 1000, 'unixepoch')
            WHEN '01' THEN 'jan january january' WHEN '02' THEN 'feb february february'
            WHEN '03' THEN 'mar march march' WHEN '04' THEN 'apr april april' WHEN '05' THEN 'may may'
            WHEN '06' THEN 'jun june june' WHEN '07' THEN 'jul july july' WHEN '08' THEN 'aug august august'
            WHEN '09' THEN 'sep september september' WHEN '10' THEN 'oct october october'
            WHEN '11' THEN 'nov november november' ELSE 'dec december december'
          END
          || CAST(strftime('%d', p.taken_local / 1000, 'unixepoch') AS INTEGER), '')
      FROM posts p JOIN users u ON u.id = p.author;

      CREATE TABLE search_changes (post INTEGER NOT NULL) STRICT;
      CREATE TRIGGER search_post_inserted AFTER INSERT ON posts BEGIN
        INSERT INTO search_changes VALUES (new.id);
      END;
      CREATE TRIGGER search_post_changed AFTER UPDATE OF id, author, caption, peer_author, taken_local ON posts BEGIN
        INSERT INTO search_changes VALUES (old.id), (new.id);
      END;
      CREATE TRIGGER search_post_deleted AFTER DELETE ON posts BEGIN
        INSERT INTO search_changes VALUES (old.id);
      END;
      CREATE TRIGGER search_comment_inserted AFTER INSERT ON comments BEGIN
        INSERT INTO search_changes VALUES (new.post);
      END;
      CREATE TRIGGER search_comment_changed AFTER UPDATE OF id, post, text ON comments BEGIN
        INSERT INTO search_changes VALUES (old.post), (new.post);
      END;
      CREATE TRIGGER search_comment_deleted AFTER DELETE ON comments BEGIN
        INSERT INTO search_changes VALUES (old.post);
      END;
      CREATE TRIGGER search_user_renamed AFTER UPDATE OF name ON users BEGIN
        INSERT INTO search_changes SELECT id FROM posts WHERE author = new.id;
      END;

      INSERT INTO search (rowid, caption, author, comments, dates) SELECT * FROM search_documents;
      CREATE INDEX posts_by_person ON posts (author, taken_local, id) WHERE peer IS NULL AND binned IS NULL;
      """)
}
