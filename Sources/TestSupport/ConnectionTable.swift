import Foundation
import Glibc

/// The TCP connections of this machine, as listed by the kernel.
public enum ConnectionTable {
  /// Returns the number of established IPv4 connections to `port`, without those that the other side has closed.
  public static func established(to port: UInt16) -> Int {
    guard let text = try? String(contentsOfFile: "/proc/self/net/tcp", encoding: .utf8) else { return 0 }
    let suffix = ":" + String(format: "%04X", port)
    return text.split(separator: "\n").dropFirst().count { line in
      // Number, local address, remote address, state (1 is ESTABLISHED).
      let words = line.split(separator: " ")
      return words.count > 3 && words[2].hasSuffix(suffix) && words[3] == "01"
    }
  }

  /// Whether a connection of this process from or to `port` cannot send, because the other side does not read: the
  /// kernel has asked for room twice, which takes more than half a second, and the window was closed each time.
  public static func hasStalledSender(port: UInt16) -> Bool {
    guard let names = try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd") else {
      return false
    }
    return names.compactMap { Int32($0) }.contains { descriptor in
      guard Self.port(of: descriptor, getsockname) == port || Self.port(of: descriptor, getpeername) == port
      else {
        return false
      }
      var info = tcp_info()
      var length = socklen_t(MemoryLayout<tcp_info>.size)
      guard getsockopt(descriptor, Int32(IPPROTO_TCP), TCP_INFO, &info, &length) == 0 else { return false }
      return info.tcpi_state == UInt8(TCP_ESTABLISHED) && info.tcpi_backoff >= 2
    }
  }

  private static func port(
    of descriptor: Int32,
    _ name: (Int32, UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32
  ) -> UInt16? {
    var address = sockaddr_in6()
    var length = socklen_t(MemoryLayout<sockaddr_in6>.size)
    let code = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { name(descriptor, $0, &length) }
    }
    guard code == 0, [AF_INET, AF_INET6].contains(Int32(address.sin6_family)) else { return nil }
    // The port is at the same offset in sockaddr_in and sockaddr_in6.
    return UInt16(bigEndian: address.sin6_port)
  }
}
