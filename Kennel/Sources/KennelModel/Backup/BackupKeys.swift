import KennelStorage
import Synchronization

/// A passphrase for backups.
package struct BackupPassphrase: Sendable {
  let bytes: [UInt8]
  /// What it costs to derive a key from it.
  let cost: PasswordCost

  /// - Throws: `badPassword` if it is empty or longer than 1024 bytes.
  package init(_ bytes: [UInt8], cost: PasswordCost = .moderate) throws(KennelError) {
    guard 1...1024 ~= bytes.count else {
      throw KennelError(.badPassword, "The passphrase must have 1 to 1024 bytes.")
    }
    self.bytes = bytes
    self.cost = cost
  }
}

/// What an encrypted file of a backup begins with: how its key is derived from the passphrase.
struct BackupCipherHeader: Sendable, Hashable {
  static let signature = Array("KennelE1".utf8)
  private static let checkSize = 32
  static let byteCount = signature.count + Sodium.saltSize + 8 + 8 + checkSize

  let salt: [UInt8]
  let cost: PasswordCost
  /// A hash of the key, with which a wrong passphrase is noticed.
  let check: [UInt8]

  init(salt: [UInt8], cost: PasswordCost, check: [UInt8]) {
    (self.salt, self.cost, self.check) = (salt, cost, check)
  }

  var bytes: [UInt8] {
    func bigEndian(_ number: Int) -> [UInt8] { withUnsafeBytes(of: UInt64(number).bigEndian) { Array($0) } }
    return Self.signature + salt + bigEndian(cost.passes) + bigEndian(cost.memory) + check
  }

  /// Returns nil if the bytes are not a valid header.
  init?(_ bytes: [UInt8]) {
    guard bytes.count == Self.byteCount, bytes.starts(with: Self.signature) else { return nil }
    var rest = bytes[Self.signature.count...]
    salt = Array(rest.prefix(Sodium.saltSize))
    rest = rest.dropFirst(Sodium.saltSize)
    func number() -> Int? {
      defer { rest = rest.dropFirst(8) }
      return Int(exactly: rest.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
    }
    guard let passes = number(), let memory = number() else { return nil }
    cost = PasswordCost(passes: passes, memory: memory)
    guard cost.isAcceptable else { return nil }
    check = Array(rest)
  }
}

/// The keys that were derived from a passphrase. Deriving one takes a second, so each is derived once.
final class BackupKeys: Sendable {
  /// The keys for one header.
  struct Keys: Sendable {
    let header: BackupCipherHeader
    /// Encrypts the contents of files.
    let contents: [UInt8]
    /// Hashes the names of files.
    let names: [UInt8]
  }

  private let passphrase: BackupPassphrase
  private let known = Mutex<[BackupCipherHeader: Keys]>([:])

  init(_ passphrase: BackupPassphrase) { self.passphrase = passphrase }

  /// Returns keys for a new salt.
  func makeNew() throws(KennelError) -> Keys {
    try Sodium.begin()
    let salt = Sodium.randomBytes(Sodium.saltSize)
    let master = try master(salt, passphrase.cost)
    let header = BackupCipherHeader(
      salt: salt, cost: passphrase.cost, check: Self.derived("check", from: master))
    return remember(header, master)
  }

  /// Returns the keys for a file.
  ///
  /// - Throws: `badBackup` if the passphrase is another one.
  func keys(for header: BackupCipherHeader) throws(KennelError) -> Keys {
    if let keys = known.withLock({ $0[header] }) { return keys }
    try Sodium.begin()
    let master = try master(header.salt, header.cost)
    guard Sodium.areEqual(Self.derived("check", from: master), header.check) else {
      throw KennelError(
        .badBackup,
        "The passphrase is not that of the backup, or the beginning of the backup was changed. Check the passphrase."
      )
    }
    return remember(header, master)
  }

  private func remember(_ header: BackupCipherHeader, _ master: [UInt8]) -> Keys {
    let keys = Keys(
      header: header, contents: Self.derived("contents", from: master),
      names: Self.derived("names", from: master))
    known.withLock { $0[header] = keys }
    return keys
  }

  private func master(_ salt: [UInt8], _ cost: PasswordCost) throws(KennelError) -> [UInt8] {
    guard let key = Sodium.key(passphrase.bytes, salt: salt, cost) else {
      throw KennelError(
        .failed, "There is not enough memory to derive the key of the backup. Try again later.")
    }
    return key
  }

  private static func derived(_ purpose: String, from master: [UInt8]) -> [UInt8] {
    Sodium.keyedHash(Array(purpose.utf8), key: master)
  }
}
