import Foundation
import Glibc
import KennelModel
import KennelStorage
import TerminalProgram

/// The owner's password of a permanent demonstration, in a file in its directory that only the user can read.
///
/// The stored password can be shown again. A new password would end the existing sessions. Only kennels created by a
/// demonstration have this file.
struct DemoPassword: Sendable {
  static let fileName = "demo-password"
  private static let maximumSize = 1000

  private let path: String

  init(_ directory: String) { path = directory + "/" + Self.fileName }

  func write(_ account: DemoKennel.Account) throws(Failure) {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw .file("Could not write \(path)", errno) }
    defer { close(descriptor) }
    let bytes = Array("\(account.name):\(account.password)\n".utf8)
    guard Glibc.write(descriptor, bytes, bytes.count) == bytes.count else {
      throw .file("Could not write \(path)", errno)
    }
  }

  /// Returns the account, or nil if its password was changed.
  func account(in store: KennelStore) async throws(KennelError) -> DemoKennel.Account? {
    guard let account = read() else { return nil }
    do throws(KennelError) {
      _ = try await store.accounts.signIn(account.name, password: account.password, address: "127.0.0.1")
      return account
    } catch  where error.code == .wrongCredentials {
      return nil
    }
  }

  private func read() -> DemoKennel.Account? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: Self.maximumSize)
    let count = Glibc.read(descriptor, &bytes, bytes.count)
    guard count > 0, let text = String(validating: bytes[..<count], as: UTF8.self) else { return nil }
    // A name never contains a colon.
    let parts = text.split(whereSeparator: \.isNewline).first?.split(separator: ":") ?? []
    return parts.count == 2 ? DemoKennel.Account(name: String(parts[0]), password: String(parts[1])) : nil
  }
}
