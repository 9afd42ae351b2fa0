import TerminalProgram

/// Something that can be set on the command line, in the environment, or in the configuration file, under one name.
struct Setting: Sendable {
  let name: String
  /// Nil for one that is either on or off.
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

  /// Its variable: `KENNEL_UNIX_SOCKET`.
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
    "the kennel's directory; unless given, what systemd says, else ~/.local/share/kennel")

  /// What `kennel serve` can be told.
  static let serving = [
    Setting(
      "address", value: "ADDRESS",
      "listen on this address, in digits; 127.0.0.1 unless given, 0.0.0.0 or :: for all"
    ),
    Setting("port", value: "PORT", "listen on this port; 8080 unless given, 0 for any that is free"),
    Setting("unix-socket", value: "PATH", completion: .files, "listen on a Unix socket instead"),
    Setting(
      "tls-certificate", value: "FILE", completion: .files,
      "encrypt, with the certificate in FILE and those that lead to its authority (PEM)"),
    Setting("tls-key", value: "FILE", completion: .files, "the certificate's key (PEM)"),
    Setting(
      "name", value: "NAME", isRepeatable: true,
      "be known as NAME too, beside addresses, localhost and this machine's own name; .NAME is all names below it as well, * any name"
    ),
    Setting("title", value: "TEXT", "what the kennel is called on its pages"),
    Setting(
      "thumbnail-cache", value: "BYTES", "how much of the disk thumbnails may take; 512Mi unless given"),
    Setting("max-connections", value: "N", "serve so many clients at once; 10000 unless given"),
    Setting(
      "max-connections-per-address", value: "N",
      "serve so many clients of one address at once; 1000 unless given"),
    Setting(
      "behind-tls",
      "a proxy in front encrypts: cookies are for encrypted connections only, and addresses begin with https"
    ),
    Setting(
      "trusted-proxy", value: "ADDRESS", isRepeatable: true,
      "believe what the proxy at ADDRESS says of its clients; “unix” for one on the Unix socket"),
    Setting(
      "grace", value: "SECONDS",
      "when asked to end, let answers that are under way take so long; 10 unless given"),
    Setting("log", "tell each request on standard error"),
  ]

  static let all = [data] + serving

  static func named(_ name: String) -> Setting? { all.first { $0.name == name } }
}
