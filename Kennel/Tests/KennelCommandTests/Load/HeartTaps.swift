import TestSupport

/// Fifty users who concurrently change hearts, each on two connections.
enum HeartTaps {
  static let users = 50
  private static let connectionsPerUser = 2
  private static let usersPerThread = 5

  struct Heart: Hashable, Sendable {
    var user: Int
    var post: Int64
  }

  private struct Favourites: Decodable, Sendable, Equatable {
    var post: Int64
    var favourites: Int
    var isFavourite: Bool
  }

  /// Changes hearts of all posts but the last one. Returns the last acknowledged state of each heart.
  ///
  /// - Parameter ports: the servers of the kennel. The connections of a user are spread over them.
  static func tap(_ changes: Int, _ loaded: LoadedKennel, ports: [Int]) async throws -> [Heart: Bool] {
    let hearts = try await onThreads(users / usersPerThread) { try tap($0, changes, loaded, ports) }
    return hearts.reduce(into: [:]) { $0.merge($1) { $1 } }
  }

  /// Runs five users on one thread, with a concurrent request on each of their connections.
  ///
  /// Each connection of a user has its own posts, so that the last acknowledged change is the final state.
  private static func tap(
    _ group: Int, _ changes: Int, _ loaded: LoadedKennel, _ ports: [Int]
  ) throws -> [Heart: Bool] {
    var random = SeededRandom(UInt64(group) + 1)
    var hearts: [Heart: Bool] = [:]
    let connections = try (0..<usersPerThread * connectionsPerUser).map { index in
      let user = group * usersPerThread + index / connectionsPerUser
      // Each post is changed through all servers, by different users.
      let port = ports[(user + index) % ports.count]
      return (user: user, connectionIndex: index, try LoadConnection(port: port))
    }
    let touched = loaded.posts.dropLast()
    for _ in 0..<changes / (users * connectionsPerUser) {
      var asked: [(Heart, Bool)] = []
      for (user, connectionIndex, connection) in connections {
        let mine = touched.filter { Int($0) % connectionsPerUser == connectionIndex % connectionsPerUser }
        let post = mine.randomElement(using: &random) ?? touched[0]
        let isFavourite = Bool.random(using: &random)
        try connection.send(
          isFavourite ? "PUT" : "DELETE", "/posts/\(post)/favourite", fields: loaded.cookies[user])
        asked.append((Heart(user: user, post: post), isFavourite))
      }
      for ((heart, isFavourite), (_, _, connection)) in zip(asked, connections) {
        let answer = try connection.answer()
        let favourites = try answer.value(Favourites.self)
        guard answer.status == 200, favourites.post == heart.post, favourites.isFavourite == isFavourite
        else {
          throw TestSupportError("\(heart) became \(answer)")
        }
        hearts[heart] = isFavourite
      }
    }
    return hearts
  }
}
