import Testing

@testable import KennelCommand

@Suite(.timeLimit(.minutes(5))) struct QuotaCommandTests {
  @Test func `quotas are set, listed and removed`() async throws {
    let kennel = try await Kennel.withOwner()
    _ = try await kennel.run("user", "add", "Bruno", "--password-stdin", input: "tennis ball\n")
    #expect(try await kennel.run("quota", "Bruno", "1.5GB").output == "Bruno\t0 bytes\t1.5 GB\n")
    #expect(
      try await kennel.run("quota", "--default", "20GB").output == "The default for each person: 20 GB.\n")
    #expect(try await kennel.run("quota").output == "Ada\t0 bytes\t20 GB\nBruno\t0 bytes\t1.5 GB\n")
    #expect(try await kennel.run("quota", "Bruno", "none").output == "Bruno\t0 bytes\tno limit\n")
    #expect(try await kennel.run("quota", "Bruno", "default").output == "Bruno\t0 bytes\t20 GB\n")
    #expect(
      try await kennel.run("quota", "--default", "none").output
        == "The default for each person: no limit.\n")
  }

  @Test func `invalid quotas and unknown people are refused`() async throws {
    let kennel = try await Kennel.withOwner()
    let size = try await kennel.run("quota", "Ada", "20")
    #expect(size.status == 2 && size.errors.contains("Use a size with a unit, such as 20GB"))
    #expect(try await kennel.run("quota", "Ada", "20GB", "30GB").status == 2)
    #expect(try await kennel.run("quota", "--default", "20GB", "30GB").status == 2)
    let name = try await kennel.run("quota", "Adda", "20GB")
    #expect(name.status == 1 && name.errors.contains("There is no user Adda. Did you mean Ada?"))
  }

  @Test func `an import is not limited by the quota`() async throws {
    let kennel = try await Kennel.withOwner()
    _ = try await kennel.run("quota", "Ada", "1B")
    try kennel.writePhotos(1)
    #expect(try await kennel.run("import", kennel.directory.path("photos")).status == 0)
  }
}
