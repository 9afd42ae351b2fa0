import Foundation
import KennelModel
import TestSupport
import Testing

@testable import KennelCommand

@Suite(.timeLimit(.minutes(5))) struct UserTests {
  @Test func `the first account is an owner and later ones are members`() async throws {
    let kennel = try await Kennel.withOwner()
    let added = try await kennel.run("user", "add", "Bruno", "--password-stdin", input: "squeaky toy\n")
    #expect(added.status == 0 && added.output == "Bruno is a member and can sign in.\n")
    let list = try await kennel.run("user", "list")
    #expect(
      list.output.contains("Ada    owner   since 20") && list.output.contains("Bruno  member  since 20"))
  }

  @Test func `a name can be used by only one user`() async throws {
    let kennel = try await Kennel.withOwner()
    let again = try await kennel.run("user", "add", "ada", "--password-stdin", input: "another one\n")
    #expect(
      again.status == 1
        && again.errors.contains("kennel: The name ada is already taken. Choose another name.\n"))
  }

  @Test func `invalid passwords and names give clear errors`() async throws {
    let kennel = try Kennel()
    let short = try await kennel.run("user", "add", "Ada", "--password-stdin", input: "short\n")
    #expect(short.status == 2 && short.errors.contains("at least 8 characters"))
    let none = try await kennel.run("user", "add", "Ada", "--password-stdin")
    #expect(none.status == 2 && none.errors.contains("Standard input contains no password."))
    let name = try await kennel.run("user", "add", "A:da", "--password-stdin", input: "tennis ball\n")
    #expect(name.status == 2 && name.errors.contains("has a colon"))
  }

  @Test func `a password and a role can be changed`() async throws {
    let kennel = try await Kennel.withOwner()
    #expect(
      try await kennel.run("user", "password", "Ada", "--password-stdin", input: "a new password\n").status
        == 0)
    let last = try await kennel.run("user", "role", "Ada", "--role", "member")
    #expect(last.status == 1, "the last owner stays one")
    let other = try await kennel.run(
      "user", "password", "Adda", "--password-stdin", input: "a new password\n")
    #expect(other.status == 1 && other.errors.contains("kennel: There is no user Adda. Did you mean Ada?\n"))
  }

  @Test func `a role is an argument or an option`() async throws {
    let kennel = try await Kennel.withOwner()
    _ = try await kennel.run(
      "user", "add", "Bruno", "--role", "viewer", "--password-stdin", input: "squeaky toy\n")
    #expect(try await kennel.run("user", "list").output.contains("Bruno  viewer  since 20"))
    #expect(try await kennel.run("user", "role", "Bruno", "member").output == "Bruno is now a member.\n")
    #expect(
      try await kennel.run("user", "role", "Bruno", "--role", "owner").output == "Bruno is now an owner.\n")
    let none = try await kennel.run("user", "role", "Bruno")
    #expect(none.status == 2 && none.errors.contains("as in kennel user role NAME viewer"))
  }

  @Test func `a user with posts is not removed without an option`() async throws {
    let kennel = try await Kennel.withOwner()
    _ = try await kennel.run("user", "add", "Bruno", "--password-stdin", input: "squeaky toy\n")
    try kennel.writePhotos(1)
    #expect(try await kennel.run("import", kennel.directory.path("photos"), "--as", "Bruno").status == 0)
    let refused = try await kennel.run("user", "remove", "Bruno")
    #expect(
      refused.status == 2
        && refused.errors.contains("The user Bruno has 1 post and 0 comments. Use --with-posts"))
    let removed = try await kennel.run("user", "remove", "Bruno", "--hand-to", "Ada")
    #expect(removed.status == 0 && removed.output.contains("1 post"))
    #expect(try await kennel.run("user", "list").output.split(separator: "\n").count == 1)
  }

  @Test func `a user with only comments is not removed without an option`() async throws {
    let kennel = try await Kennel.withOwner()
    _ = try await kennel.run("user", "add", "Bruno", "--password-stdin", input: "squeaky toy\n")
    try kennel.writePhotos(1)
    #expect(try await kennel.run("import", kennel.directory.path("photos")).status == 0)
    let store = try await kennel.openStore()
    let bruno = try #require(try await store.accounts.user(named: "Bruno"))
    let post = try #require(try await store.posts.page(limit: 1).first)
    _ = try await store.posts.addComment("Good dog", to: post.id, author: bruno.id)
    await store.close()
    let refused = try await kennel.run("user", "remove", "Bruno")
    #expect(refused.status == 2 && refused.errors.contains("The user Bruno has 0 posts and 1 comment. Use"))
    let unsure = try await kennel.run("user", "remove", "Bruno", "--with-posts", input: "yes\n")
    #expect(unsure.status == 2 && unsure.errors.contains("Use --yes to remove them."))
    #expect(try await kennel.run("user", "list").output.contains("Bruno"))
    #expect(try await kennel.run("user", "remove", "Bruno", "--with-posts", "--yes").status == 0)
  }

  @Test func `adding a user without a valid password creates no kennel`() async throws {
    let kennel = try Kennel()
    for input in ["", "short\n", "\r\n"] {
      let result = try await kennel.run("user", "add", "Ada", "--password-stdin", input: input)
      #expect(result.status == 2)
    }
    #expect(!FileManager.default.fileExists(atPath: kennel.data))
  }

  @Test func `unexpected arguments and options are errors`() async throws {
    let kennel = try Kennel()
    func problem(_ arguments: String...) async throws -> String {
      let result = try await kennel.run("user", arguments[0], arguments[1], arguments[2])
      #expect(result.status == 2)
      return result.errors
    }
    #expect(try await problem("add", "Dora", "Dog").contains("in quotes: 'Dora Dog'"))
    #expect(
      try await problem("add", "Ada", "owner").contains("Unexpected argument “owner”. Use --role owner."))
    #expect(
      try await problem("role", "Ada", "viwer").contains(
        "The role is owner, member or viewer, not “viwer”. Did you mean viewer?"))
    #expect(
      try await problem("list", "--role", "owner").contains(
        "The command user list takes no --role. Only user add and role can use it."))
    #expect(
      try await problem("add", "Ada", "--with-posts").contains("The command user add takes no --with-posts."))
  }

  @Test func `users are sorted by name, ignoring case and accents`() async throws {
    let kennel = try await Kennel.withOwner()
    for name in ["Zoe", "Élan", "dora"] {
      let input = "squeaky toy\n"
      #expect(try await kennel.run("user", "add", name, "--password-stdin", input: input).status == 0)
    }
    let list = try await kennel.run("user", "list").output.split(separator: "\n")
    #expect(list.map { $0.prefix { $0 != " " } } == ["Ada", "dora", "Élan", "Zoe"])
  }

  @Test func `commands without a kennel create nothing`() async throws {
    let kennel = try Kennel()
    for arguments in [["user", "list"], ["check"]] {
      let result =
        arguments.count == 2
        ? try await kennel.run(arguments[0], arguments[1]) : try await kennel.run(arguments[0])
      #expect(result.status == 8 && result.errors.contains("There is no kennel in"))
    }
    #expect(!FileManager.default.fileExists(atPath: kennel.data))
  }

  @Test func `misspelled commands and options give a suggestion`() async throws {
    let kennel = try Kennel()
    let action = try await kennel.run("user", "ad", "Ada")
    #expect(action.status == 2 && action.errors.contains("Did you mean add?"))
    let command = try await kennel.run("serv")
    #expect(command.status == 2 && command.errors.contains("Did you mean serve?"))
    let option = try await kennel.run("serve", "--prot", "1")
    #expect(option.status == 2 && option.errors.contains("Did you mean --port?"))
    let early = try await kennel.run("--port", "1")
    #expect(early.status == 2)
    #expect(early.errors.contains("The command must come before options such as --port"))
  }
}
