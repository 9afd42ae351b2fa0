import TerminalProgram

/// A setting that has the same name on the command line, in the environment and in the configuration file.
struct Setting: Sendable {
  let name: String
  /// The name of the value in help texts; nil for a setting that is on or off.
  let placeholder: String?
  let summary: String
  var isRepeatable = false
  var completion = OptionDescription.Completion.nothing

  init(
    _ name: String, value placeholder: String? = nil, isRepeatable: Bool = false,
    completion: OptionDescription.Completion = .nothing, _ summary: String
  ) {
    self.name = name
    self.placeholder = placeholder
    self.summary = summary
    self.isRepeatable = isRepeatable
    self.completion = completion
  }

  /// The name of the environment variable, such as `KENNEL_UNIX_SOCKET`.
  var variable: String { Self.variable(of: name) }

  static func variable(of name: String) -> String {
    KennelVariables.prefix + name.uppercased().map { $0 == "-" ? "_" : String($0) }.joined()
  }

  var option: OptionDescription {
    OptionDescription(
      name, value: placeholder, isRepeatable: isRepeatable, completion: completion, summary)
  }

  static let data = Setting(
    "data", value: "DIR", completion: .files,
    "the kennel's directory (default: STATE_DIRECTORY, or ~/.local/share/kennel)")

  /// The settings of `kennel serve`.
  static let serving = [
    Setting(
      "address", value: "ADDRESS",
      "listen on this IP address (default: 127.0.0.1); 0.0.0.0 or :: means all addresses"
    ),
    Setting("port", value: "PORT", "listen on this port (default: 8080); 0 means any free port"),
    Setting("unix-socket", value: "PATH", completion: .files, "listen on a Unix socket instead of a port"),
    Setting(
      "tls-certificate", value: "FILE", completion: .files,
      "use TLS with the certificate and the intermediate certificates in FILE (PEM)"),
    Setting("tls-key", value: "FILE", completion: .files, "the private key of the certificate (PEM)"),
    Setting(
      "name", value: "NAME", isRepeatable: true,
      "also answer to the host name NAME, in addition to IP addresses, localhost and the name of this machine; .NAME includes its subdomains, * means any name"
    ),
    Setting(
      "database", value: "ADDRESS",
      "keep accounts, posts and everything else but photos in PostgreSQL, such as postgres://kennel@localhost/kennel; a password belongs in KENNEL_DATABASE or ~/.pgpass, because others can see options"
    ),
    Setting(
      "public", "show the photos to everyone who reaches the server, also if kennel visibility says people"),
    Setting(
      "ignore-authorization",
      "ignore Authorization header fields: they belong to a proxy in front of the server"),
    Setting("title", value: "TEXT", "the title of the kennel on its pages"),
    Setting(
      "language", value: "LANGUAGE",
      "the language of the pages for browsers that prefer none that there is: en or de (default: en)"),
    Setting(
      "time-zone", value: "ZONE",
      "the time zone of cameras that do not record it, such as Europe/Berlin (default: that of this machine)"),
    Setting(
      "thumbnail-cache", value: "BYTES", "the maximum disk space for thumbnails (default: 512Mi)"),
    Setting(
      "photos", value: "URL",
      "keep the photos in an S3-compatible store, such as s3://BUCKET/PREFIX?endpoint=URL&region=NAME; the credentials are in AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or in ~/.aws/credentials; a kennel that has photos stays where they are (default: in the kennel's directory)"
    ),
    Setting(
      "photo-cache", value: "BYTES",
      "the maximum disk space for copies of photos that are in a store (default: 1Gi)"),
    Setting(
      "max-video", value: "BYTES", "the maximum size of a video; 0 accepts no videos (default: 500Mi)"),
    Setting(
      "ffmpeg", value: "PATH", completion: .files,
      "make the posters of videos with this program; none draws them (default: ffmpeg in /usr/local/bin or /usr/bin)"
    ),
    Setting("max-connections", value: "N", "the maximum number of concurrent connections (default: 10000)"),
    Setting(
      "max-connections-per-address", value: "N",
      "the maximum number of concurrent connections from one address (default: 1000)"),
    Setting(
      "behind-tls",
      "a proxy in front of the server uses TLS: restrict cookies to https, and use https in URLs"
    ),
    Setting(
      "trusted-proxy", value: "ADDRESS", isRepeatable: true,
      "trust the X-Forwarded header fields of the proxy at ADDRESS; “unix” means the Unix socket"),
    Setting(
      "trusted-user-header", value: "FIELD",
      "a trusted proxy signs users in, and names them in the header field FIELD, such as Remote-User; the proxy must replace this field in all requests"
    ),
    Setting(
      "grace", value: "SECONDS",
      "the maximum time for open responses when the server stops (default: 10)"),
    Setting(
      "no-sandbox",
      "decode photos in the server itself instead of in processes without access to files and the network"),
    Setting(
      "no-worker",
      "do without a service worker: no photos while the server cannot be reached, and none from the share sheet of a phone"
    ),
    Setting("log", "log each request to standard error"),
  ]

  static let all = [data] + serving

  static func named(_ name: String) -> Setting? { all.first { $0.name == name } }
}
