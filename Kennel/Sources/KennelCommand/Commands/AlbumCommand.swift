import Foundation
import KennelModel
import TerminalProgram

/// Lists, makes, fills and deletes albums.
enum AlbumCommand {
  static let actions = ["list", "create", "rename", "add", "remove", "delete"]

  static func run(_ context: CommandContext) async throws -> ExitStatus {
    let operands = context.arguments.operands
    let rest = operands.dropFirst()
    switch operands.first ?? "list" {
    case "list":
      guard rest.isEmpty else { throw UsageError("The command album list takes no argument.") }
      try await context.withStore { try await list($0, context) }
    case "create":
      guard let title = rest.first, rest.count == 1 else {
        throw UsageError("The command album create needs one TITLE. Put a title with spaces in quotes.")
      }
      try await create(title, context)
    case "rename":
      guard rest.count == 2, let title = rest.last else {
        throw UsageError("The command album rename needs the NUMBER of an album and a TITLE.")
      }
      let id = try number(rest[1], "an album", of: "kennel album list")
      let album = try await context.withStore { store in
        try await store.albums.edit(id, AlbumChange(title: title), by: nil)
      }
      try await context.output.write("Album \(id) is now called \(DisplayText.safe(album.title)).\n")
    case "add", "remove": try await change(rest, adds: operands.first == "add", context)
    case "delete":
      guard !rest.isEmpty else { throw UsageError("The command album delete needs the NUMBER of an album.") }
      let ids = try rest.map { try number($0, "an album", of: "kennel album list") }
      try await context.withStore { store in
        for id in ids { try await store.albums.delete(id, by: nil) }
      }
      try await context.output.write(
        ids.count == 1
          ? "The album was deleted. Its photos stay.\n"
          : "\(ids.count) albums were deleted. Their photos stay.\n")
    case let action: throw UsageError.unknownAction(action, of: "album", among: actions)
    }
    return .success
  }

  private static func number(
    _ text: String, _ what: String, of source: String
  ) throws(UsageError) -> Int64 {
    guard let id = Int64(text), id > 0 else {
      throw UsageError("“\(text)” is not the number of \(what). \(source) shows the numbers.")
    }
    return id
  }

  /// Prints a line for each album: its number, how many photos it shows, its owner and its title.
  private static func list(_ store: KennelStore, _ context: CommandContext) async throws {
    let albums = try await store.albums.all()
    if albums.isEmpty { context.screen.say("There are no albums.") }
    for album in albums {
      try await context.output.write(
        "\(album.id)\t\(album.postCount)\t\(DisplayText.safe(album.ownerName))\t\(DisplayText.safe(album.title))\n"
      )
    }
  }

  private static func create(_ title: String, _ context: CommandContext) async throws {
    let album = try await context.withStore { store in
      let owner = try await UserCommand.author(context, store)
      return try await store.albums.make(title: title, isOpen: context.arguments.has("open"), by: owner.id)
    }
    try await context.output.write(
      "Album \(album.id) was created for \(DisplayText.safe(album.ownerName)).\n")
  }

  private static func change(
    _ texts: ArraySlice<String>, adds: Bool, _ context: CommandContext
  ) async throws {
    let word = adds ? "add" : "remove"
    guard texts.count > 1, let first = texts.first else {
      throw UsageError("The command album \(word) needs the NUMBER of an album and the numbers of photos.")
    }
    let id = try number(first, "an album", of: "kennel album list")
    let posts = try texts.dropFirst().map {
      try number($0, "a photo", of: "The address of a photo's page")
    }
    let (album, count) = try await context.withStore { store in
      adds
        ? try await store.albums.add(posts, to: id, by: nil)
        : try await store.albums.remove(posts, from: id, by: nil)
    }
    let photos = count == 1 ? "1 photo was" : "\(count) photos were"
    let title = DisplayText.safe(album.title)
    try await context.output.write(
      adds ? "\(photos) added to \(title).\n" : "\(photos) removed from \(title).\n")
    if count < posts.count {
      context.screen.say(
        adds
          ? "The others are in the album already, or do not exist." : "The others are not in the album.")
    }
  }
}
