extension Migration {
  /// The number of two steps that were never released. ``searchOrder`` also begins with what they left.
  static let earlySearchOrder = Migration(script: "")

  /// Numbers the rows of the search by the times of the photos, the newest first, so that a search reads only as many of them as
  /// its page shows (`SearchOrder`). Before, the numbers were those of the posts, and all that was found had to be sorted.
  ///
  /// The number of a row changes with the time of its post, and a trigger may not ask the index for it. So the triggers of posts
  /// also note the number that a row had before the change. The index has the beginnings of four to twelve characters, too, and
  /// `search_words` lists its words. Posts whose ids are too large for the numbers cannot be found.
  static let searchOrder = Migration(
    script: """
      DROP TABLE IF EXISTS search_words;
      DROP TABLE IF EXISTS search_old_entries;
      DROP TABLE search;
      DROP VIEW search_documents;
      CREATE VIRTUAL TABLE search USING fts5(
        caption, author, comments, dates, albums, tokenize = "unicode61 remove_diacritics 2",
        prefix = '2 3 4 5 6 7 8 9 10 11 12'
      );
      CREATE VIRTUAL TABLE search_words USING fts5vocab(search, instance);
      CREATE VIEW search_documents (id, entry, caption, author, comments, dates, albums) AS
      SELECT p.id,
        ((-(min(max(p.taken_local, -17592186036224), 17592186044415) >> 13)) << 32) | (4294967295 - p.id),
        p.caption, coalesce(p.peer_author, u.name),
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
      FROM posts p JOIN users u ON u.id = p.author WHERE p.id BETWEEN 0 AND 4294967295;

      CREATE TABLE search_old_entries (entry INTEGER NOT NULL) STRICT;
      DROP TRIGGER search_post_changed;
      CREATE TRIGGER search_post_changed AFTER UPDATE OF id, author, caption, peer_author, taken_local ON posts BEGIN
        INSERT INTO search_changes VALUES (old.id), (new.id);
        INSERT INTO search_old_entries VALUES (
          ((-(min(max(old.taken_local, -17592186036224), 17592186044415) >> 13)) << 32) | (4294967295 - old.id)
        );
      END;
      DROP TRIGGER search_post_deleted;
      CREATE TRIGGER search_post_deleted AFTER DELETE ON posts BEGIN
        INSERT INTO search_changes VALUES (old.id);
        INSERT INTO search_old_entries VALUES (
          ((-(min(max(old.taken_local, -17592186036224), 17592186044415) >> 13)) << 32) | (4294967295 - old.id)
        );
      END;

      DELETE FROM search_changes;
      INSERT INTO search (rowid, caption, author, comments, dates, albums)
      SELECT d.entry, d.caption, d.author, d.comments, d.dates, d.albums
      FROM (SELECT id FROM search_documents ORDER BY entry LIMIT -1) o CROSS JOIN search_documents d ON d.id = o.id;
      """)
}
