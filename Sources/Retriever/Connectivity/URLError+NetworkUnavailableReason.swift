#if !canImport(Darwin)
import Foundation

extension URLError {
  /// Why a network that exists may not be used for a load.
  public enum NetworkUnavailableReason: Int, Hashable, Sendable {
    /// The load must not use mobile networks.
    case cellular = 0
    /// The load must not use expensive networks.
    case expensive = 1
    /// The load must not use networks in low-data mode.
    case constrained = 2
  }

  /// Why the network may not be used; nil if there is no such reason.
  ///
  /// Linux does not report which networks are mobile, expensive or in low-data mode, so the errors of a session never have
  /// a reason. An error has one if its information has it under `NSURLErrorNetworkUnavailableReasonKey`, as on Apple's
  /// platforms.
  public var networkUnavailableReason: NetworkUnavailableReason? {
    (userInfo[NSURLErrorNetworkUnavailableReasonKey] as? Int).flatMap(NetworkUnavailableReason.init)
  }
}

/// The key in an error's information for `URLError.NetworkUnavailableReason`.
public let NSURLErrorNetworkUnavailableReasonKey = "NSURLErrorNetworkUnavailableReasonKey"
#endif
