import TerminalProgram

/// The environment variables whose names begin with `KENNEL_`: settings, variables of other programs, and typos.
enum KennelVariables {
  static let prefix = "KENNEL_"
  static let configuration = prefix + "CONFIG"

  static let peerToken = prefix + "PEER_TOKEN"

  private static let known = Setting.all.map(\.variable) + [configuration, peerToken]

  /// Returns the value of a setting in the environment; nil if it is not set.
  static func value(of setting: Setting, in environment: [String: String]) -> String? {
    guard let text = environment[setting.variable], !text.isEmpty, !isLinkedAddress(text),
      !isLink(setting.variable, text)
    else { return nil }
    return text
  }

  /// Returns a warning for each variable that looks like a setting but has no effect.
  static func warnings(_ environment: [String: String]) -> [String] {
    let unknown = environment.filter { name, value in
      name.hasPrefix(prefix) && !known.contains(name) && !isLink(name, value)
    }
    return unknown.keys.sorted().map { name in
      let words = known.map { String($0.dropFirst(prefix.count)) }
      let nearest = Spelling.nearest(to: String(name.dropFirst(prefix.count)), among: words)
      return "\(name) has no effect, because there is no such setting."
        + (nearest.map { " Did you mean \(prefix)\($0)?" } ?? "")
    }
  }

  // MARK: Links

  // If a service or container is named “kennel”, Kubernetes and Docker set variables such as
  // KENNEL_SERVICE_HOST=10.0.0.1 and KENNEL_PORT=tcp://10.0.0.1:8080. These are not settings.

  private static func isLinkedAddress(_ value: String) -> Bool {
    ["tcp://", "udp://", "sctp://"].contains { value.hasPrefix($0) }
  }

  private static func isLink(_ name: String, _ value: String) -> Bool {
    let words = name.dropFirst(prefix.count).split(separator: "_")
    return switch words.first {
    case "SERVICE": words.count > 1 && ["HOST", "PORT"].contains(words[1])
    case "PORT": words.count > 2 && Int(words[1]) != nil && ["TCP", "UDP", "SCTP"].contains(words[2])
    case "ENV": words.count > 1
    case "NAME": words.count == 1 && value.hasPrefix("/")
    default: false
    }
  }
}
