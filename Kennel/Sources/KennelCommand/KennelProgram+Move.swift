import TerminalProgram

extension KennelProgram {
  /// The description of `kennel move`.
  static let moveDescription = CommandDescription(
    "move", "move the kennel to PostgreSQL or a store of photos, or back", operands: "", count: 0...0,
    discussion: [
      "The command copies the records with --to-database, the photos with --to-photos, or both, and verifies the copies. Then the kennel uses them from one moment to the next. Until then, it stays as it is. Accounts, sessions, links and the identity of the kennel stay the same.",
      "The kennel must not be in use: the command refuses while a server or another command is running, and they refuse while it is moving. If the command is interrupted, even by a power failure, the same command continues, and does not copy photos again that were copied.",
      "Give --to-database the address of an empty database of PostgreSQL, or sqlite for a file in the kennel's directory. Give --to-photos the URL of a store, or directory for the kennel's directory. The present place is in the settings, as for all commands.",
      "Earlier files stay in the kennel's directory with .moved- in their names. Objects stay in their store, and a database keeps its tables, but is refused from then on. Uploads that are not finished stay behind. Change the settings database and photos afterwards.",
    ],
    options: [
      OptionDescription(
        "to-database", value: "ADDRESS",
        "move the records to PostgreSQL, such as postgres://kennel@localhost/kennel, or to sqlite; a password belongs in ~/.pgpass or PGPASSWORD, because others can see options"
      ),
      OptionDescription(
        "to-photos", value: "URL",
        "move the photos to a store, such as s3://BUCKET/PREFIX?endpoint=URL&region=NAME, or to directory; the credentials are those of kennel serve --photos"
      ),
    ] + common,
    examples: [
      .init(
        text: "To PostgreSQL and a store",
        line: "kennel move --to-database postgres://kennel@localhost/kennel --to-photos s3://dogs"),
      .init(text: "Back into the directory", line: "kennel move --to-database sqlite --to-photos directory"),
    ])
}
