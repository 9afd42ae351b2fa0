import Foundation
import KennelLoad
import Retriever
import TerminalProgram

/// Signs people in before the load.
struct People: Sendable {
  let options: LoadOptions
  let session: URLSession

  /// Returns a client for each person. The people are spread over the addresses.
  func clients() async throws -> [KennelClient] {
    let cookies: [String?]
    switch options.accounts {
    case .strangers: cookies = Array(repeating: nil, count: options.people)
    case .file(let path): cookies = try await signIn(accounts(path))
    case .invited(let owner, let file): cookies = try await invite(owner, password: firstLine(file))
    }
    return cookies.enumerated().map { client(at: $0.offset, $0.element) }
  }

  private func client(at number: Int, _ cookie: String?) -> KennelClient {
    KennelClient(
      address: options.addresses[number % options.addresses.count], session: session, cookie: cookie)
  }

  /// Returns a visitor or the first person, who listens and compares at the end.
  func observer(_ people: [KennelClient], at address: LoadAddress) -> KennelClient {
    KennelClient(address: address, session: session, cookie: people.first?.cookie)
  }

  // MARK: Accounts of a file

  private func accounts(_ path: String) throws -> [(name: String, password: String)] {
    let accounts = try text(path).split(whereSeparator: \.isNewline).map { line in
      let parts = line.split(separator: ":", maxSplits: 1)
      guard parts.count == 2 else {
        throw Failure(.usage, "A line of \(path) is not a name, a colon and a password.")
      }
      return (String(parts[0]), String(parts[1]))
    }
    guard accounts.count >= options.people else {
      throw Failure(
        .usage, "\(path) has \(accounts.count) accounts. Add some, or give --people \(accounts.count).")
    }
    return Array(accounts.prefix(options.people))
  }

  private func signIn(_ accounts: [(name: String, password: String)]) async throws -> [String] {
    try await fourAtATime(accounts.count) { number in
      try await cookie(of: accounts[number].name, password: accounts[number].password, number)
    }
  }

  private func cookie(of name: String, password: String, _ number: Int) async throws -> String {
    let answer = try await client(at: number, nil)
      .prepare("sign in as \(name)", "POST", "/session", json: ["name": name, "password": password])
    return try cookie(answer)
  }

  private func cookie(_ answer: KennelClient.Answer) throws -> String {
    guard let cookie = answer.fields["Set-Cookie"]?.prefix(while: { $0 != ";" }), !cookie.isEmpty else {
      throw Failure(.failure, "The kennel sent no cookie.")
    }
    return String(cookie)
  }

  // MARK: New accounts

  private func invite(_ owner: String, password: String) async throws -> [String] {
    let owner = client(at: 0, try await cookie(of: owner, password: password, 0))
    let run = String(UInt64.random(in: 0..<1 << 40), radix: 36)
    return try await fourAtATime(options.people) { number in
      struct Invitation: Decodable { var link: String }
      let invitation = try await owner.prepare(
        "invite a person", "POST", "/people/invitations", json: ["role": "member", "days": "1"]
      ).value(Invitation.self)
      guard let path = URLComponents(string: invitation.link)?.path else {
        throw Failure(.failure, "The kennel sent an invalid invitation.")
      }
      let password = (0..<4).map { _ in String(UInt64.random(in: 0...UInt64.max), radix: 36) }.joined()
      let answer = try await client(at: number, nil).prepare(
        "create an account", "POST", path, json: ["name": "Load \(run) \(number)", "password": password])
      return try cookie(answer)
    }
  }

  /// The kennel hashes each password, so more at the same time would only wait.
  private func fourAtATime(
    _ count: Int, _ work: @escaping @Sendable (Int) async throws -> String
  ) async throws -> [String] {
    try await withThrowingTaskGroup(of: [Int: String].self) { group in
      for first in 0..<min(4, count) {
        group.addTask {
          var results: [Int: String] = [:]
          for number in stride(from: first, to: count, by: 4) { results[number] = try await work(number) }
          return results
        }
      }
      var all: [Int: String] = [:]
      for try await results in group { all.merge(results) { $1 } }
      return all.sorted { $0.key < $1.key }.map(\.value)
    }
  }

  // MARK: Files

  private func text(_ path: String) throws -> String {
    do {
      return try String(contentsOf: URL(filePath: path), encoding: .utf8)
    } catch {
      throw Failure.file("Could not read \(path)", error)
    }
  }

  private func firstLine(_ path: String) throws -> String {
    try text(path).split(whereSeparator: \.isNewline).first.map(String.init) ?? ""
  }
}
