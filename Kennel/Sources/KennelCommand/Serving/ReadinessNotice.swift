import Foundation
import Glibc

/// Reports the state of the server to the service manager with the protocol of `sd_notify`.
enum ReadinessNotice {
  static func send(_ state: String) async {
    guard let path = ProcessInfo.processInfo.environment["NOTIFY_SOCKET"] else { return }
    await withCheckedContinuation { continuation in
      DispatchQueue.global().async {
        send(state, to: path)
        continuation.resume()
      }
    }
  }

  /// Sends a message. Errors are ignored, because the server runs without a service manager too.
  static func send(_ state: String, to path: String) {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    var name = Array(path.utf8)
    guard let first = name.first, name.count < MemoryLayout.size(ofValue: address.sun_path) else { return }
    // An at sign represents the null byte of an abstract name.
    if first == UInt8(ascii: "@") { name[0] = 0 } else if first != UInt8(ascii: "/") { return }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name) }
    let length = socklen_t(MemoryLayout<sa_family_t>.size + name.count)
    let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    let bytes = Array(state.utf8)
    withUnsafePointer(to: address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        _ = sendto(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL), $0, length)
      }
    }
  }
}
