extension Migration {
  /// Adds the titles of albums to the search: those of the latest 20 albums with a post, so that albums do not make changes of a
  /// post slow. The index no longer has the beginnings of one character, which no query uses.
  ///
  /// The words of a post change when it is added to an album or leaves it, and when the album gets another title. Rows that are
  /// deleted with an album or a post start the triggers, too.
  static let albumSearch = Migration(
    script: """
      DROP TABLE search;
      DROP VIEW search_documents;
      CREATE VIRTUAL TABLE search USING fts5(
        caption, author, comments, dates, albums, tokenize = "unicode61 remove_diacritics 2", prefix = '2 3'
      );
      CREATE VIEW search_documents (id, caption, author, comments, dates, albums) AS
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
          || CAST(strftime('%d', p.taken_local / 1000, 'unixepoch') AS INTEGER), ''),
        coalesce((
          SELECT group_concat(title, char(10)) FROM (
            SELECT a.title FROM album_posts m JOIN albums a ON a.id = m.album
            WHERE m.post = p.id ORDER BY m.album DESC LIMIT 20
          )
        ), '')
      FROM posts p JOIN users u ON u.id = p.author;

      CREATE TRIGGER search_album_post_inserted AFTER INSERT ON album_posts BEGIN
        INSERT INTO search_changes VALUES (new.post);
      END;
      CREATE TRIGGER search_album_post_changed AFTER UPDATE OF album, post ON album_posts BEGIN
        INSERT INTO search_changes VALUES (old.post), (new.post);
      END;
      CREATE TRIGGER search_album_post_deleted AFTER DELETE ON album_posts BEGIN
        INSERT INTO search_changes VALUES (old.post);
      END;
      CREATE TRIGGER search_album_renamed AFTER UPDATE OF title ON albums BEGIN
        INSERT INTO search_changes SELECT post FROM album_posts WHERE album = new.id;
      END;

      DELETE FROM search_changes;
      INSERT INTO search (rowid, caption, author, comments, dates, albums) SELECT * FROM search_documents;
      """)
}
