import Foundation
import Retriever

extension ImagePipeline {
  /// How a pipeline behaves.
  public struct Configuration: Sendable {
    /// How images are fetched; copied when the pipeline is made. Unless given, there are neither cookies nor credentials,
    /// 30 seconds without a byte end an attempt, and so do ten minutes in all, however slowly bytes come.
    public var session: URLSessionConfiguration
    /// Which hosts and addresses images may come from, on every request, redirect and connection.
    ///
    /// A server that fetches URLs which others gave it should use `.publicOnly`, or it can be made to fetch from its
    /// own network. Takes the place of the session configuration's, unless it is `.unrestricted`.
    public var addressPolicy = AddressPolicy.unrestricted
    /// How much an image may ask for: its bytes are limited while it is fetched, the rest from its header.
    public var limits = ImageLimits()
    /// How many bytes of pixels are kept in memory: a sixteenth of the machine's memory, at most 256 MiB, unless given.
    public var memoryCacheLimit: Int
    /// Where images are kept on disk; nil for nowhere. Without one, nothing is resumed after a restart.
    public var diskCache: DiskCacheOptions?
    /// How many seconds an image stays fresh when the server does not say; a day unless given.
    public var usualLifetime: TimeInterval = 86_400
    /// How many images are fetched at the same time; 12 unless given. A third of them, at most, ahead of time.
    public var mostFetches = 12
    /// How many of them from one host; 6 unless given.
    public var mostFetchesPerHost = 6
    /// How many images whose bytes are at hand are decoded at the same time: twice the processors unless given.
    /// An image that is being fetched is decoded meanwhile, and does not count.
    public var mostDecodes: Int
    /// How often a fetch that failed for the moment (a time-out, a lost connection, a status such as 503) is tried
    /// again, at growing intervals; 3 unless given.
    public var mostRetries = 3
    /// Whether `file` URLs are read; not unless given. Never allow it for URLs that others gave.
    public var allowsFileURLs = false

    /// The default configuration, with a disk cache in the user's directory for caches.
    public init() {
      session = .ephemeral
      session.httpCookieStorage = nil
      session.urlCredentialStorage = nil
      session.timeoutIntervalForRequest = 30
      session.timeoutIntervalForResource = 600
      memoryCacheLimit = MemoryCache.defaultLimit
      diskCache = DiskCacheOptions()
      mostDecodes = 2 * ProcessInfo.processInfo.activeProcessorCount
    }

    /// The default configuration for a server that fetches URLs which others gave it: public addresses only.
    public static var server: Configuration {
      var configuration = Configuration()
      configuration.addressPolicy = .publicOnly
      return configuration
    }

    var sessionConfiguration: URLSessionConfiguration {
      let copy = session.copy() as? URLSessionConfiguration ?? .ephemeral
      if addressPolicy != .unrestricted { copy.addressPolicy = addressPolicy }
      copy.httpMaximumConnectionsPerHost = max(1, mostFetchesPerHost)
      return copy
    }

    var machineOptions: PipelineStateMachine.Options {
      PipelineStateMachine.Options(
        fetches: .init(total: mostFetches, perLane: mostFetchesPerHost),
        decodes: .init(total: mostDecodes, perLane: mostDecodes), mostRetries: max(0, mostRetries))
    }
  }
}
