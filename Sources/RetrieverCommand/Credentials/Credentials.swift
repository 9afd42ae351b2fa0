import Foundation
import Retriever
import TerminalProgram

/// The user names and passwords that this run may use, and the hosts that may receive them.
///
/// Credentials from the command line, a prompt or the environment are only for the hosts on the command line. A
/// server that a redirect leads to does not receive them. A password in a URL is only for the host of that URL. The
/// entries of a `.netrc` file name their hosts.
package struct Credentials: Sendable {
  package struct Login: Sendable, Equatable {
    package var user: String
    package var password: String
    package init(user: String, password: String) {
      self.user = user
      self.password = password
    }
  }

  /// The credentials of `--user`, a prompt or the environment.
  private var given: Login?
  private var user: String?
  /// The origins on the command line: scheme, host and port.
  private var origins: Set<String>
  /// The credentials in the URLs, by the origin of the URL. Those of `--user` take precedence over them.
  private var inURLs: [String: Login] = [:]
  private var netrc: Netrc?

  package init(given: Login?, user: String?, origins: [URL], netrc: Netrc?) {
    self.given = given
    self.user = user
    self.origins = Set(origins.compactMap(Self.origin))
    self.netrc = netrc
    guard user == nil else { return }
    for url in origins {
      // If the URLs of an origin have several, the first one is used.
      if let origin = Self.origin(url), inURLs[origin] == nil { inURLs[origin] = Self.login(in: url) }
    }
  }

  /// Returns the credentials that a server may receive; nil if there are none.
  package func login(scheme: String, host: String, port: Int) -> Login? {
    let origin = "\(scheme)://\(host.lowercased()):\(port)"
    let isNamed = origins.contains(origin)
    if let given { return isNamed ? given : nil }
    if let login = inURLs[origin] { return login }
    guard let entry = netrc?.entry(host: host, user: user), let login = entry.login ?? user else {
      return nil
    }
    // The default entry applies to all hosts, so it is used only for those on the command line.
    guard entry.machine != nil || isNamed else { return nil }
    return Login(user: login, password: entry.password ?? "")
  }

  private static func origin(_ url: URL) -> String? {
    guard let host = url.host?.lowercased(), let scheme = url.scheme?.lowercased() else { return nil }
    return "\(scheme)://\(host):\(url.port ?? (scheme == "https" ? 443 : 80))"
  }

  private static func login(in url: URL) -> Login? {
    guard let user = url.user, let password = url.password else { return nil }
    return Login(
      user: user.removingPercentEncoding ?? user, password: password.removingPercentEncoding ?? password)
  }
}

extension Credentials {
  /// Collects the credentials. Prompts the user only if necessary.
  ///
  /// The sources, in this order: `--user NAME:PASSWORD`; `--user NAME` with the password from the environment, the
  /// `.netrc` file or a prompt; the environment alone; the URLs; the `.netrc` file alone.
  static func gather(
    _ arguments: ParsedArguments, origins: [URL], environment: [String: String], screen: Screen
  ) async throws(Failure) -> Credentials {
    let netrc = try readNetrc(arguments, environment: environment, screen: screen)
    if origins.contains(where: { $0.password != nil }) { screen.warn(inProcessList("a URL")) }
    let password = environment["RETRIEVER_PASSWORD"]
    guard let user = arguments.value("user") else {
      if let user = environment["RETRIEVER_USER"], let password {
        return Credentials(
          given: Login(user: user, password: password), user: user, origins: origins, netrc: nil)
      }
      return Credentials(given: nil, user: nil, origins: origins, netrc: netrc)
    }
    let parts = user.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    if parts.count == 2 {
      screen.warn(inProcessList("--user"))
      return Credentials(
        given: Login(user: parts[0], password: parts[1]), user: parts[0], origins: origins, netrc: nil)
    }
    if let password {
      return Credentials(
        given: Login(user: user, password: password), user: user, origins: origins, netrc: nil)
    }
    if let netrc, origins.allSatisfy({ netrc.entry(host: $0.host ?? "", user: user)?.password != nil }) {
      return Credentials(given: nil, user: user, origins: origins, netrc: netrc)
    }
    await screen.flush()
    guard let typed = await PasswordPrompt.ask("Password for \(user): ") else {
      if Task.isCancelled { throw .cancelled }
      if PasswordPrompt.hasTerminal { throw Failure(.usage, "No password was given for \(user).") }
      throw Failure(
        .usage,
        "Could not ask for \(user)'s password: there is no terminal. "
          + "Set RETRIEVER_PASSWORD, or add the password to ~/.netrc.")
    }
    return Credentials(given: Login(user: user, password: typed), user: user, origins: origins, netrc: nil)
  }

  /// Reads the file of `--netrc-file`, or `~/.netrc`. The command works without `~/.netrc` if it cannot be read.
  private static func readNetrc(
    _ arguments: ParsedArguments, environment: [String: String], screen: Screen
  ) throws(Failure) -> Netrc? {
    if arguments.has("no-netrc") { return nil }
    if let path = arguments.value("netrc-file") {
      guard let netrc = try Netrc.read(path, warn: screen.warn) else {
        throw .file("Could not read \(path)", ENOENT)
      }
      return netrc
    }
    guard let home = environment["HOME"] else { return nil }
    do throws(Failure) {
      return try Netrc.read(home + "/.netrc", warn: screen.warn)
    } catch {
      screen.warn("Warning: \(error.message)")
      return nil
    }
  }

  static func inProcessList(_ place: String) -> String {
    "Warning: A password in \(place) is visible to all users of this machine in the process list. "
      + "Leave it out to be prompted for it, or use RETRIEVER_PASSWORD or ~/.netrc."
  }
}
