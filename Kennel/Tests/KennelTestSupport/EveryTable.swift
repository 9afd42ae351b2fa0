import Foundation
import KennelStorage

/// A kennel with rows in every table, and with values that are difficult to copy.
package enum EveryTable {
  /// A text in which an apostrophe is a part of another character, and backslashes and quotation marks have no meaning.
  package static let difficultText = "O'Brien'\u{301}s dog's “\\x41\\' \"Бобик\" 🐶\n; DROP TABLE users; --"

  /// A text with the characters that PostgreSQL stores in another form.
  package static let encodedText = "a\0b \u{100000} \u{100000}\u{100001} \u{100001}\0"

  /// Adds rows to all tables of a kennel in SQLite that is not open.
  package static func fill(_ directory: String) throws {
    let connection = try Connection(
      path: directory + "/kennel.sqlite", access: .writing, busyTimeout: .zero)
    try connection.script(script)
    try connection.run("UPDATE posts SET caption = ? WHERE id = 7", .text(difficultText))
    try connection.run("UPDATE comments SET text = ? WHERE id = 9", .text(difficultText))
    try connection.run("UPDATE comments SET text = ? WHERE id = 11", .text(encodedText))
  }

  private static let script = """
    INSERT INTO users (id, name, folded, role, password, created, language) VALUES
      (3, 'Ada', 'ada', 'owner', 'hash', 1000, NULL), (5, 'Bruno', 'bruno', 'viewer', '', -1000, 'de');
    INSERT INTO sessions (token, user, created, expires, number, device, address, used)
      VALUES (randomblob(32), 3, 1, 9223372036854775807, 4, 'a phone', '::1', 2);
    INSERT INTO account_links (id, token, kind, role, user, creator, created, expires)
      VALUES (2, randomblob(32), 'account', 'member', NULL, 3, 1, 2);
    INSERT INTO feeds (user, token, created) VALUES (3, randomblob(32), 1);
    INSERT INTO quotas (user, bytes) VALUES (3, NULL), (5, 20);
    INSERT INTO user_pictures (user, version, picture) VALUES (5, 9007199254740992, randomblob(50000));
    INSERT INTO photos (hash, bytes, width, height, format, thumbhash, duration) VALUES
      (zeroblob(32), 12, 4, 3, 'jpeg', x'', NULL), (randomblob(32), 13, 4, 3, 'mp4', x'00ff27', 1500);
    INSERT INTO parts (hash, bytes) VALUES (randomblob(32), 5);
    INSERT INTO removals (hash, since) VALUES (randomblob(32), 77);
    INSERT INTO posts (id, author, photo, caption, created, peer, peer_author, remote, metadata, original,
        original_format, part, taken, taken_offset, taken_source, taken_local, binned, edited)
      SELECT 7, 3, hash, '', 1, NULL, NULL, NULL, '{}', randomblob(32), 'heic', (SELECT hash FROM parts), 1000, 1,
        'camera', 2000, NULL, 5 FROM photos WHERE format = 'jpeg';
    INSERT INTO posts (id, author, photo, caption, created, peer, peer_author, remote, taken, taken_offset,
        taken_source, taken_local, binned)
      SELECT 8, 5, hash, 'a tennis ball', 1, 'https://dogs.example', 'Cleo', 4, -5000, -1, 'shared', -6000, 99
      FROM photos WHERE format = 'mp4';
    UPDATE sqlite_sequence SET seq = 41 WHERE name = 'posts';
    INSERT INTO undated (post) VALUES (8);
    INSERT INTO favourites (post, user, created) VALUES (7, 5, 1);
    INSERT INTO comments (id, post, author, text, created) VALUES (9, 7, 5, '', 1), (11, 7, 3, 'wet dog', 2);
    INSERT INTO events (id, kind, post, comment, count, created, user, given, photo, album)
      VALUES (21, 'comment', 7, 9, NULL, 1, 5, 1, randomblob(32), NULL);
    UPDATE counters SET value = 30 WHERE name = 'events';
    INSERT INTO uploads (id, user, bytes, caption, shares_metadata, allows_duplicate, description, created, expires)
      VALUES (randomblob(16), 3, 5, '', 0, 1, '', 1, 2);
    INSERT INTO albums (id, title, owner, is_open, cover, created, changed) VALUES (6, 'By the lake', 3, 1, 7, 1, 2);
    INSERT INTO album_posts (album, post, adder, added) VALUES (6, 7, NULL, 1), (6, 8, 3, 2);
    INSERT INTO links (id, token, post, maker, created, expires, album)
      VALUES (12, randomblob(32), NULL, 3, 1, NULL, 6);
    INSERT INTO peers (name, cursor, identity) VALUES ('https://dogs.example', 4, randomblob(16));
    INSERT INTO taken (peer, remote) VALUES ('https://dogs.example', 4);
    INSERT INTO peer_tokens (name, token, created, used) VALUES ('Hounds', randomblob(32), 1, NULL);
    INSERT INTO identities (identity, through)
      SELECT randomblob(16), NULL WHERE NOT EXISTS (SELECT 1 FROM identities);
    INSERT INTO identities (identity, through) VALUES (randomblob(16), 3);
    INSERT INTO allowances (key, until) VALUES (randomblob(32), 5);
    INSERT INTO decisions (name, value) VALUES ('address', 'http://192.0.2.7:8080');
    """
}
