import Foundation
import Retriever

extension ImagePipeline {
  /// The settings of a pipeline.
  public struct Configuration: Sendable {
    /// The configuration of the session that fetches images. It is copied when the pipeline is created.
    ///
    /// By default, there are no cookies and no credentials. An attempt ends after 30 seconds without a byte, or after
    /// ten minutes in total.
    public var session: URLSessionConfiguration
    /// The delegate of the session. An image is not written to disk if the delegate has signed in to its server.
    package var sessionDelegate: (any URLSessionTaskDelegate)?
    /// The hosts and addresses that images may come from. The policy applies to every request, redirect and
    /// connection.
    ///
    /// A server that fetches URLs from its users should use `.publicOnly`; otherwise users can make it fetch from its
    /// own network. Unless it is `.unrestricted`, this policy replaces that of the session configuration.
    public var addressPolicy = AddressPolicy.unrestricted
    /// The limits for images. The number of bytes is checked during the fetch, the other limits when the header is
    /// read.
    public var limits = ImageLimits()
    /// Whether what could be decoded of a damaged image is returned, or is an error (default: it is returned, and
    /// ``UIImage/damage`` lists what was wrong).
    public var damagePolicy = DamagePolicy.tolerate
    /// The maximum size of thumbnails in memory, in bytes of pixels (default: a sixteenth of the machine's memory,
    /// but at most 256 MiB).
    public var memoryCacheLimit: Int
    /// The options of the disk cache; nil for none. Without a disk cache, downloads are not resumed after a restart.
    public var diskCache: DiskCacheOptions?
    /// The number of seconds that an image stays fresh if the server does not specify it (default: one day).
    public var defaultLifetime: TimeInterval = 86_400
    /// The maximum number of simultaneous fetches (default: 12). Prefetches use at most a third of them.
    public var maximumFetches = 12
    /// The maximum number of simultaneous fetches from one host (default: 6).
    public var maximumFetchesPerHost = 6
    /// The maximum number of simultaneous decodes of images whose bytes are available (default: twice the number of
    /// processors).
    ///
    /// An image that is decoded while it is fetched does not count.
    public var maximumDecodes: Int
    /// The maximum number of retries after a temporary failure: a timeout, a lost connection or a status such as 503
    /// (default: 3).
    ///
    /// The pauses between the retries increase.
    public var maximumRetries = 3
    /// Whether `file` URLs are allowed (default: `false`). Never allow them for URLs from other people.
    public var allowsFileURLs = false

    /// Creates the default configuration, with a disk cache in the user's cache directory.
    public init() {
      session = .ephemeral
      session.httpCookieStorage = nil
      session.urlCredentialStorage = nil
      session.timeoutIntervalForRequest = 30
      session.timeoutIntervalForResource = 600
      memoryCacheLimit = MemoryCache.defaultLimit
      diskCache = DiskCacheOptions()
      maximumDecodes = 2 * ProcessInfo.processInfo.activeProcessorCount
    }

    /// The configuration for a server that fetches URLs from its users: the default, with public addresses only.
    public static var server: Configuration {
      var configuration = Configuration()
      configuration.addressPolicy = .publicOnly
      return configuration
    }

    var sessionConfiguration: URLSessionConfiguration {
      let copy = session.copy() as? URLSessionConfiguration ?? .ephemeral
      if addressPolicy != .unrestricted { copy.addressPolicy = addressPolicy }
      // The pipeline has caches of its own, which also keep unfinished pictures.
      copy.urlCache = nil
      copy.httpMaximumConnectionsPerHost = max(1, maximumFetchesPerHost)
      return copy
    }

    var machineOptions: PipelineStateMachine.Options {
      PipelineStateMachine.Options(
        fetches: .init(total: maximumFetches, perHost: maximumFetchesPerHost),
        decodes: .init(total: maximumDecodes, perHost: maximumDecodes),
        maximumRetries: max(0, maximumRetries))
    }
  }
}
