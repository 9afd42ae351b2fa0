/// Options that hold for all transfers of one client, and so for its connections.
package struct TransferClientOptions: Sendable {
  package enum Trust: Sendable, Hashable {
    case system
    /// A file of PEM certificates.
    case file(path: String)
    case pem([UInt8])
    /// Any certificate of any name is taken. For diagnosis only.
    case anything
  }

  package enum TLSVersion: Int, Sendable, Hashable, Comparable {
    case v10 = 0
    case v11, v12, v13
    package static func < (left: TLSVersion, right: TLSVersion) -> Bool { left.rawValue < right.rawValue }
  }

  package var connectionsPerHost = 6
  package var trust = Trust.system
  package var minimumTLS = TLSVersion.v12
  package var maximumTLS = TLSVersion.v13
  package var userAgent = ""
  package var unixSocketPath: String?
  /// Asked with each address, and the URL it is for, before it is connected to; a sentence refuses it.
  package var addressRefusal:
    (@Sendable (_ address: UnsafeRawPointer, _ length: Int, _ url: String) -> String?)?

  package init() {}

  /// The proxies that the environment named when the options were made.
  var proxies = ProxyEnvironment.ofProcess()
  /// Who looks names up.
  var names = NameService.shared

  /// With an address policy no proxy is used: it would connect past the policy.
  var usesProxies: Bool { addressRefusal == nil && unixSocketPath == nil && !proxies.isEmpty }
}

/// Transfers that share connections, name look-ups and TLS sessions: one curl multi handle, bound to one loop.
///
/// The client may be used from any thread. Dropping the last reference closes its connections; transfers hold their
/// client, so none is cut by that.
package final class TransferClient: Sendable {
  private let core: ClientCore

  /// Throws when the system has no thread, descriptor or memory left for it.
  package init(options: TransferClientOptions = .init()) throws(TransferFailure) {
    guard let loop = EventLoopGroup.next() else {
      throw TransferFailure(
        .outOfMemory, message: "The system has no thread or descriptor left for a transfer loop.")
    }
    do {
      core = try ClientCore(loop: loop, options: options)
    } catch {
      throw TransferFailure(
        .outOfMemory, curl: error.code, message: "libcurl could not start: \(error.message).")
    }
  }

  deinit { close() }

  /// Closes the connections, after the transfers whose end has been asked for. No other may be running or be started.
  package func close() { core.loop.post(.close(core)) }

  /// Makes a transfer; its events come to the observer once it is started.
  package func makeTransfer(_ request: TransferRequest, observer: any TransferObserver) -> Transfer {
    Transfer(request: request, observer: observer, client: self, core: core)
  }

  /// The libcurl that is linked, in its own words.
  package static var libraryVersion: String { Curl.version }
}
