// The server times of a kennel with very many photos, in docs/many-posts.json. `scripts/time-kennel` measures them.
import Foundation

struct ManyPosts {
  /// The times with one database.
  struct Run: Codable {
    let database: String
    let date: String
    let posts: Int
    let rows: [Row]
  }

  /// A kind of request, and its times in milliseconds.
  struct Row: Codable {
    let name: String
    let median: Double
    let high: Double
  }

  let runs: [Run]

  init(_ runs: [Run] = []) { self.runs = runs }

  /// Reads a file. If there is none, nothing was measured.
  init(contentsOf file: URL) throws {
    guard FileManager.default.fileExists(atPath: file.path) else {
      self.init()
      return
    }
    do {
      self.init(try JSONDecoder().decode([Run].self, from: Data(contentsOf: file)))
    } catch {
      throw Problem("\(file.path) is damaged: \(error). Restore it, or run scripts/time-kennel again")
    }
  }

  /// The section of the page; empty if nothing was measured.
  func section() -> String {
    guard let first = runs.first else { return "" }
    let heading = ["Request"] + runs.flatMap { ["\($0.database), median", "99 %"] }
    let lines = first.rows.map { row in
      [row.name]
        + runs.flatMap { run in
          let found = run.rows.first { $0.name == row.name }
          return [found?.median, found?.high].map { $0.map { String(format: "%.1f ms", $0) } ?? "-" }
        }
    }
    let dates = runs.map { "\($0.database) on \($0.date) with \($0.posts.formatted()) photos" }
    return """

      ## Kennel with very many photos

      The time from a request to the start of its response, as the server reports it. Each request follows a comment, so
      that nothing is answered from what was kept for the one before. `scripts/time-kennel 1000000 docs/many-posts.json`
      measures it; with `KENNEL_DATABASE`, in PostgreSQL.

      \(Page.table([heading] + lines))

      Measured: \(dates.joined(separator: "; ")).

      """
  }
}
