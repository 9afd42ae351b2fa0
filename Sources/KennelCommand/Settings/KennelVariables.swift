import TerminalProgram

/// The variables of the environment whose names begin with `KENNEL_`: Kennel's, those of others, and slips.
enum KennelVariables {
  static let prefix = "KENNEL_"
  static let configuration = prefix + "CONFIG"

  private static let known = Setting.all.map(\.variable) + [configuration]

  /// What the environment says of a setting; nil for nothing.
  static func value(of setting: Setting, in environment: [String: String]) -> String? {
    guard let text = environment[setting.variable], !text.isEmpty, !isLinkedAddress(text),
      !isLink(setting.variable, text)
    else { return nil }
    return text
  }

  /// A sentence about each variable that looks like Kennel's and has no effect.
  static func warnings(_ environment: [String: String]) -> [String] {
    let unknown = environment.filter { name, value in
      name.hasPrefix(prefix) && !known.contains(name) && !isLink(name, value)
    }
    return unknown.keys.sorted().map { name in
      let words = known.map { String($0.dropFirst(prefix.count)) }
      let nearest = Spelling.nearest(to: String(name.dropFirst(prefix.count)), among: words)
      return "\(name) has no effect: there is no such setting"
        + (nearest.map { "; did you mean \(prefix)\($0)?" } ?? "")
    }
  }

  // MARK: Links

  // Kubernetes and Docker tell programs of a service or container that is called “kennel” by variables such as
  // KENNEL_SERVICE_HOST=10.0.0.1 and KENNEL_PORT=tcp://10.0.0.1:8080. These are no settings.

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
