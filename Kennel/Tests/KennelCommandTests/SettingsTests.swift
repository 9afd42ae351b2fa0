import Foundation
import KennelWeb
import TerminalProgram
import TestSupport
import Testing

@testable import KennelCommand

@Suite struct SettingsTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  private func settings(
    _ arguments: [String] = [], _ environment: [String: String] = [:], file: String? = nil
  ) throws -> Settings {
    if let file { try directory.write(Data(file.utf8), to: "kennel.conf") }
    let command = try #require(KennelProgram.description.command(named: "serve"))
    let parsed = try ArgumentParser.parse(["--data", directory.url.path] + arguments, for: command)
    return try Settings(parsed, environment: environment)
  }

  private func problem(_ file: String) -> String? {
    do {
      _ = try ConfigurationFile(file, path: "kennel.conf")
      return nil
    } catch {
      return error.message
    }
  }

  @Test func `the command line overrides the environment, which overrides the file`() throws {
    let file = "port = 1\naddress = ::1\ntitle = Dogs = love\n"
    let all = try settings(["--port", "3"], ["KENNEL_PORT": "2", "KENNEL_ADDRESS": "127.0.0.2"], file: file)
    #expect(try all.integer("port", in: 0...65535) == 3)
    #expect(all.text("address") == "127.0.0.2")
    #expect(all.text("title") == "Dogs = love")
    #expect(try settings([], [:]).integer("port", in: 0...65535) == 1)
  }

  @Test func `the configuration file can contain blank lines and comments`() {
    #expect(problem("# a comment\n\n  port=8080  \r\n") == nil)
  }

  @Test func `errors in the configuration file include the line number`() {
    #expect(problem("\nprot = 80") == "kennel.conf, line 2: There is no setting “prot”. Did you mean port?")
    #expect(problem("port") == "kennel.conf, line 1: “port” is not a setting. Write name = value.")
    #expect(problem("port =") == "kennel.conf, line 1: The setting port has no value.")
    #expect(problem("port = 1\nport = 2") == "kennel.conf, line 2: The setting port is set twice.")
    #expect(problem("trusted-proxy = unix\ntrusted-proxy = 10.0.0.1") == nil)
  }

  @Test func `a value can be in quotes`() throws {
    let file = try ConfigurationFile(
      "title = \"Dogs' home\"\naddress = '::1'\ngrace = 5\n", path: "kennel.conf")
    #expect(file.entries["title"]?.map(\.value) == ["Dogs' home"])
    #expect(file.entries["address"]?.map(\.value) == ["::1"])
    #expect(problem("title = Dogs \"R\" us") == nil)
  }

  @Test(arguments: ["\"A", "'A", "\"", "\"A\" b", "\"A\" and \"B\""])
  func `invalid quotes give an error with the line number`(value: String) {
    #expect(
      problem("\ntitle = \(value)")
        == "kennel.conf, line 2: Put the complete value of title in quotes, without the same quotes inside.")
    #expect(problem("title = \"\"") == "kennel.conf, line 1: The setting title has no value.")
  }

  @Test func `an error for an invalid value names its source`() throws {
    func message(_ settings: Settings) -> String? {
      do {
        _ = try settings.integer("port", in: 0...65535)
        return nil
      } catch {
        return error.message
      }
    }
    #expect(message(try settings(["--port", "x"])) == "--port must be a number from 0 to 65535, not “x”.")
    #expect(message(try settings([], ["KENNEL_PORT": "70000"]))?.hasPrefix("KENNEL_PORT must be") == true)
    #expect(
      message(try settings([], file: "\nport = y"))?.hasSuffix(
        "kennel.conf, line 2: The setting port must be a number from 0 to 65535, not “y”.") == true)
  }

  @Test func `a flag in the environment is yes or no`() throws {
    #expect(try settings(["--log"]).flag("log"))
    #expect(try settings([], ["KENNEL_LOG": "yes"]).flag("log"))
    #expect(try !settings([], ["KENNEL_LOG": "no"]).flag("log"))
    #expect(throws: UsageError.self) { try settings([], ["KENNEL_LOG": "perhaps"]).flag("log") }
  }

  @Test func `several trusted proxies are accepted`() throws {
    #expect(
      try ServerSettings(settings([], ["KENNEL_TRUSTED_PROXY": "unix, 10.0.0.1"])).site.trustedProxies
        == ["unix", "10.0.0.1"])
  }

  @Test func `several host names are accepted, and invalid ones are refused`() throws {
    let arguments = ["--name", "dogs.example", "--name", ".kennel.example"]
    var hosts = AllowedHosts.ofThisMachine()
    for name in ["dogs.example", ".kennel.example"] { _ = hosts.allow(name) }
    #expect(try ServerSettings(settings(arguments)).site.hosts == hosts)
    let variable = ["KENNEL_NAME": "dogs.example, .kennel.example"]
    #expect(try ServerSettings(settings([], variable)).site.hosts == hosts)
    let address = try settings([], ["KENNEL_NAME": "https://dogs.example/"])
    #expect(
      throws: UsageError(
        "KENNEL_NAME must be a host name such as dogs.example, without a port, not “https://dogs.example/”.")
    ) { try ServerSettings(address) }
  }

  @Test func `a Unix socket and a port exclude each other`() throws {
    let both = try settings(["--unix-socket", "/run/x", "--port", "80"])
    #expect(
      throws: UsageError("--unix-socket cannot be used together with --port. Use a socket or a port.")
    ) { try ServerSettings(both) }
    let mixed = try settings(["--unix-socket", "/run/x"], file: "port = 80")
    let line = "\(directory.path("kennel.conf")), line 1"
    #expect(
      throws: UsageError(
        "--unix-socket cannot be used together with the setting port in \(line). Use a socket or a port.")
    ) { try ServerSettings(mixed) }
    try FileManager.default.removeItem(at: directory.file("kennel.conf"))
    let half = try settings(["--tls-key", "key.pem"])
    #expect(throws: UsageError("--tls-key needs --tls-certificate too.")) { try ServerSettings(half) }
    let variable = try settings([], ["KENNEL_TLS_CERTIFICATE": "chain.pem"])
    #expect(throws: UsageError("KENNEL_TLS_CERTIFICATE needs KENNEL_TLS_KEY too.")) {
      try ServerSettings(variable)
    }
  }

  @Test func `the address of a trusted proxy is validated and normalized`() throws {
    let proxies = try settings(["--trusted-proxy", "0:0:0:0:0:0:0:1", "--trusted-proxy", "unix"])
    #expect(try ServerSettings(proxies).site.trustedProxies == ["::1", "unix"])
    let network = try settings(["--trusted-proxy", "10.0.0.0/8"])
    #expect(throws: UsageError("--trusted-proxy must be an IP address or unix, not “10.0.0.0/8”.")) {
      try ServerSettings(network)
    }
  }

  @Test func `a configuration file given on the command line must exist`() throws {
    #expect(throws: Failure.self) { try settings(["--config", directory.path("nothing")]) }
    try directory.write(Data("data = /somewhere".utf8), to: "other.conf")
    let command = try #require(KennelProgram.description.command(named: "serve"))
    let parsed = try ArgumentParser.parse(["--config", directory.path("other.conf")], for: command)
    #expect(try Settings(parsed, environment: [:]).dataDirectory == "/somewhere")
  }

  @Test func `a folder given as the configuration file is an error with advice`() throws {
    let path = directory.url.path
    #expect(
      throws: Failure(
        .fileSystem,
        "The path \(path) is a folder, not a configuration file. Give a file such as \(path)/kennel.conf.")
    ) { try settings(["--config", path]) }
  }

  @Test func `the default directory is the one of systemd or of the user`() throws {
    let command = try #require(KennelProgram.description.command(named: "serve"))
    let parsed = try ArgumentParser.parse([], for: command)
    func directory(_ environment: [String: String]) throws -> String {
      try Settings(parsed, environment: environment).dataDirectory
    }
    #expect(try directory(["STATE_DIRECTORY": "/var/lib/kennel:/x", "HOME": "/h"]) == "/var/lib/kennel")
    #expect(try directory(["HOME": "/h"]) == "/h/.local/share/kennel")
    #expect(try directory(["HOME": "/h", "XDG_DATA_HOME": "/d"]) == "/d/kennel")
    #expect(try directory(["HOME": "/h", "KENNEL_DATA": "/e"]) == "/e")
  }
}
