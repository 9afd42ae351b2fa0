import Testing

@testable import PostgresClient

struct PlaceholderTests {
  @Test(arguments: [
    ("SELECT 1", "SELECT 1"), ("VALUES (?, ?)", "VALUES ($1, $2)"),
    ("VALUES (?2, ?1, ?12)", "VALUES ($2, $1, $12)"), ("SELECT '?', \"?\", ?", "SELECT '?', \"?\", $1"),
    ("SELECT 'it''s ?', $1", "SELECT 'it''s ?', $1"), ("?", "$1"), ("'", "'"),
  ])
  func `placeholders become PostgreSQL's`(sql: String, expected: String) {
    #expect(Placeholders.numbered(sql) == expected)
  }
}
