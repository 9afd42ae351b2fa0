import CCurl
import Glibc
import LoopThread
import Synchronization
import SystemFiles

/// Trusted certificates for verifying servers, parsed once and shared by the connections of all clients.
///
/// libcurl would parse them again for each connection or client, which takes 20 ms for the system's certificates.
///
/// `@unchecked Sendable`: the store never changes after it is created, and OpenSSL's reference counts are atomic.
final class TrustStore: @unchecked Sendable {
  private let store: OpenSSL.Pointer
  private let functions: OpenSSL.TrustFunctions

  /// Parses certificates. Returns nil if the data contains none.
  init?(pem: UnsafeRawBufferPointer) {
    guard let functions = OpenSSL.trust, let store = functions.makeStore() else { return nil }
    self.functions = functions
    self.store = store
    guard let memory = functions.makeMemory(pem.baseAddress, Int32(clamping: pem.count)) else { return nil }
    defer {
      _ = functions.freeMemory(memory)
      // OpenSSL reports the end of the input as an error too.
      functions.clearErrors()
    }
    var count = 0
    while let certificate = functions.readCertificate(memory, nil, nil, nil) {
      if functions.addCertificate(store, certificate) == 1 { count += 1 }
      functions.freeCertificate(certificate)
    }
    if count == 0 { return nil }
  }

  deinit { functions.freeStore(store) }

  /// Makes the connections of a context (`SSL_CTX *`) verify their servers with these certificates.
  func apply(to context: OpenSSL.Pointer) {
    functions.setStore(context, store)
    functions.setVerify(context, Self.verifyPeer, Self.verifies)
    OpenSSL.watchEnds(of: context)
  }

  /// Makes a context use OpenSSL's verification with the certificates that libcurl chose.
  static func applyVerification(to context: OpenSSL.Pointer) {
    OpenSSL.trust?.setVerify(context, verifyPeer, verifies)
    OpenSSL.watchEnds(of: context)
  }

  /// Prepares a verification (`X509_STORE_CTX *`) outside a handshake.
  func start(_ verification: OpenSSL.Pointer, leaf: OpenSSL.Pointer, others: OpenSSL.Pointer) -> Bool {
    OpenSSL.certificates?.startVerification(verification, store, leaf, others) == 1
  }

  private static let verifyPeer: Int32 = 1

  /// Rejects a server certificate whose subject alternative names contain no host and no address. libcurl would use its
  /// common name, which has been disallowed since 2011 (RFC 9110, 4.3.4; RFC 9525).
  private static let verifies: OpenSSL.VerifyCallback = { isVerified, context in
    guard isVerified == 1, let functions = OpenSSL.trust, functions.errorDepth(context) == 0 else {
      return isVerified
    }
    guard let certificate = functions.currentCertificate(context), !namesServer(certificate, functions) else {
      return isVerified
    }
    functions.setError(context, hostnameMismatch)
    return 0
  }

  /// X509_V_ERR_HOSTNAME_MISMATCH.
  private static let hostnameMismatch: Int32 = 62
  /// NID_subject_alt_name.
  private static let subjectAlternativeName: Int32 = 85

  private static func namesServer(_ certificate: OpenSSL.Pointer, _ functions: OpenSSL.TrustFunctions) -> Bool
  {
    guard let names = functions.extensionValue(certificate, subjectAlternativeName, nil, nil) else {
      return false
    }
    defer { functions.freeNames(names) }
    for index in 0..<functions.stackCount(names) {
      // A GENERAL_NAME begins with its kind: GEN_DNS is 2, GEN_IPADD is 7.
      guard let name = functions.stackValue(names, index) else { continue }
      let kind = name.load(as: Int32.self)
      if kind == 2 || kind == 7 { return true }
    }
    return false
  }
}

/// Provides trust stores to clients. A separate thread reads each store once for all clients that need it.
final class TrustStores: Sendable {
  static let shared = TrustStores()

  enum Source: Hashable, Sendable {
    case file(String)
    case pem([UInt8])
  }

  /// Identifies the state of a file, so that a replaced file is read again.
  private struct Stamp: Hashable {
    var device: UInt = 0
    var number: UInt = 0
    var size: Int = 0
    var seconds: Int = 0
    var nanoseconds: Int = 0
  }

  private struct Key: Hashable {
    let source: Source
    let stamp: Stamp
  }

  private struct State {
    /// In order of use, with the most recently used store last.
    var stores: [(key: Key, store: TrustStore)] = []
    var waiters: [Key: [Waiter]] = [:]
  }

  typealias Waiter = @Sendable (Result<TrustStore, TransferFailure>) -> Void

  static let maximumStores = 8
  private let state = Mutex(State())

  /// The file with the system's certificates that libcurl was built to use; nil if there is none.
  static let systemFile: String? = Curl.defaultCertificateFile

  /// Returns the store if it is already loaded. Otherwise calls the waiter later, exactly once, with the store or the
  /// reason why it could not be loaded.
  func provide(_ source: Source, waiter: @escaping Waiter) -> TrustStore? {
    let key = Key(source: source, stamp: Self.stamp(of: source))
    let (known, isFirst) = state.withLock { state -> (TrustStore?, Bool) in
      if let index = state.stores.firstIndex(where: { $0.key == key }) {
        let entry = state.stores.remove(at: index)
        state.stores.append(entry)
        return (entry.store, false)
      }
      state.waiters[key, default: []].append(waiter)
      return (nil, state.waiters[key]?.count == 1)
    }
    guard known == nil, isFirst else { return known }
    // If no thread is available, the caller loads the store.
    if LoopThread.start("retriever-trust", { self.load(key) }) != 0 { load(key) }
    return nil
  }

  /// Returns the store, and reads it on this thread if it is not loaded yet.
  func load(_ source: Source) -> Result<TrustStore, TransferFailure> {
    let key = Key(source: source, stamp: Self.stamp(of: source))
    if let known = state.withLock({ $0.stores.first { $0.key == key }?.store }) { return .success(known) }
    let result = Self.read(source)
    if case .success(let store) = result { state.withLock { Self.keep(store, key, in: &$0) } }
    return result
  }

  private static func keep(_ store: TrustStore, _ key: Key, in state: inout State) {
    guard !state.stores.contains(where: { $0.key == key }) else { return }
    if state.stores.count >= maximumStores { state.stores.removeFirst() }
    state.stores.append((key, store))
  }

  private func load(_ key: Key) {
    let result = Self.read(key.source)
    let waiters = state.withLock { state in
      if case .success(let store) = result { Self.keep(store, key, in: &state) }
      return state.waiters.removeValue(forKey: key) ?? []
    }
    for waiter in waiters { waiter(result) }
  }

  private static func read(_ source: Source) -> Result<TrustStore, TransferFailure> {
    switch source {
    case .pem(let bytes):
      guard let store = bytes.withUnsafeBytes({ TrustStore(pem: $0) }) else {
        return .failure(
          TransferFailure(
            .trustStoreUnreadable, message: "The trusted certificates do not contain a PEM certificate."))
      }
      return .success(store)
    case .file(let path):
      let bytes: [UInt8]
      do {
        bytes = try contents(of: path)
      } catch {
        return .failure(
          TransferFailure(
            .trustStoreUnreadable, message: "Could not read the certificate file \(path): \(error.reason)."))
      }
      guard let store = bytes.withUnsafeBytes({ TrustStore(pem: $0) }) else {
        return .failure(
          TransferFailure(
            .trustStoreUnreadable, message: "The file \(path) does not contain a PEM certificate."))
      }
      return .success(store)
    }
  }

  static let maximumFileBytes = 64 << 20

  private static func contents(of path: String) throws(SystemError) -> [UInt8] {
    let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard file >= 0 else { throw SystemError(errno) }
    defer { close(file) }
    return try DescriptorIO.contents(of: file, limit: maximumFileBytes)
  }

  private static func stamp(of source: Source) -> Stamp {
    guard case .file(let path) = source else { return Stamp() }
    var status = stat()
    guard stat(path, &status) == 0 else { return Stamp() }
    return Stamp(
      device: UInt(status.st_dev), number: UInt(status.st_ino), size: Int(status.st_size),
      seconds: status.st_mtim.tv_sec, nanoseconds: status.st_mtim.tv_nsec)
  }
}
