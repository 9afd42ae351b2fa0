import Testing

@testable import KennelCommand

@Suite(.timeLimit(.minutes(5))) struct VariablesTests {
  @Test func `an unknown variable gives a warning with the nearest name`() {
    #expect(
      KennelVariables.warnings(["KENNEL_TILTE": "Dogs", "KENNEL_TITLE": "Dogs", "PATH": "/bin"])
        == ["KENNEL_TILTE has no effect, because there is no such setting. Did you mean KENNEL_TITLE?"])
    #expect(
      KennelVariables.warnings(["KENNEL_COLOUR_OF_DOGS": "brown"])
        == ["KENNEL_COLOUR_OF_DOGS has no effect, because there is no such setting."])
    #expect(KennelVariables.warnings(["KENNEL_DATA": "/d", "KENNEL_CONFIG": "/c"]).isEmpty)
  }

  @Test func `an unknown variable is only a warning, which quiet suppresses`() async throws {
    var kennel = try await Kennel.withOwner()
    kennel.environment["KENNEL_TILTE"] = "Dogs"
    let list = try await kennel.run("user", "list")
    #expect(list.status == 0 && list.output.hasPrefix("Ada"))
    #expect(list.errors.hasPrefix("kennel: KENNEL_TILTE has no effect"))
    #expect(try await kennel.run("user", "list", "--quiet").errors.isEmpty)
  }

  /// The variables of a service or container with the name “kennel”.
  @Test func `variables set by Kubernetes and Docker are ignored`() {
    let links = [
      "KENNEL_SERVICE_HOST": "10.0.0.1", "KENNEL_SERVICE_PORT": "8080", "KENNEL_SERVICE_PORT_HTTP": "8080",
      "KENNEL_PORT": "tcp://10.0.0.1:8080", "KENNEL_PORT_8080_TCP": "tcp://10.0.0.1:8080",
      "KENNEL_PORT_8080_TCP_ADDR": "10.0.0.1", "KENNEL_PORT_8080_TCP_PORT": "8080",
      "KENNEL_PORT_8080_TCP_PROTO": "tcp", "KENNEL_NAME": "/web/kennel", "KENNEL_ENV_HOME": "/root",
    ]
    #expect(KennelVariables.warnings(links).isEmpty)
    #expect(Setting.all.allSatisfy { KennelVariables.value(of: $0, in: links) == nil })
    #expect(KennelVariables.value(of: Setting.serving[1], in: ["KENNEL_PORT": "80"]) == "80")
    #expect(!KennelVariables.warnings(["KENNEL_ENV": "Dogs"]).isEmpty)
  }
}
