import Retriever
import TerminalProgram

// All commands and their options. The parser, the help, the manual page and the completions use only this description.
extension KennelProgram {
  private typealias Option = OptionDescription
  private typealias Example = CommandDescription.Example

  private static let common = [
    Setting.data.option,
    Option(
      "config", value: "FILE", completion: .files,
      "read settings from FILE (default: kennel.conf in the kennel's directory)"),
    Option("quiet", short: "q", "print only errors and warnings"),
    Option("help", short: "h", "show help for the command"),
  ]

  static let commands: [CommandDescription] =
    [
      CommandDescription(
        "serve", "serve the kennel: its web pages and its HTTP API", operands: "", count: 0...0,
        discussion: [
          "The command prints the address of the server. SIGTERM and SIGINT stop the server: it accepts no new connections, completes open responses, and exits with status 0. If NOTIFY_SOCKET is set, as under systemd, the server reports when it is ready.",
          "The server answers only requests for host names that it knows, so that other websites cannot impersonate it (DNS rebinding). It knows IP addresses, localhost, the name of this machine, that name with .local, and the names given with --name. It does not check the name if the connection uses TLS, either directly or through a proxy on the Unix socket.",
          "In a new kennel, only people with an account can see the photos. kennel visibility everyone opens it for all who reach the server.",
          "Each option can also be set with an environment variable, such as KENNEL_PORT for --port, or in the configuration file, such as port = 8080. The command line overrides the environment, and the environment overrides the file.",
        ],
        options: Setting.serving.map(\.option) + common,
        examples: [
          Example(
            text: "For the local network",
            line: "kennel serve --address 0.0.0.0 --title 'The dogs of number 7'"),
          Example(
            text: "Behind a TLS proxy on a Unix socket",
            line: "kennel serve --unix-socket /run/kennel/http.sock --behind-tls --trusted-proxy unix"),
          Example(
            text: "Behind a TLS proxy on a TCP port",
            line: "kennel serve --behind-tls --trusted-proxy 127.0.0.1 --name dogs.example"),
        ], isService: true),
      CommandDescription(
        "user", "add, list, change and remove accounts",
        operands: "add|list|password|role|remove [NAME]",
        count: 1...20,
        discussion: [
          "The first account belongs to the owner. Later accounts are members (default) or owners (--role). Owners can delete all posts and comments; members can delete their own.",
          "The command asks for the password at the terminal and does not show it. It also asks before it removes the posts and comments of a user, unless --yes is given.",
        ],
        options: [
          Option(
            "role", value: "ROLE", completion: .choices(["owner", "member"]),
            "the role of the added or changed account: owner or member"),
          Option("password-stdin", "read the password from the first line of standard input"),
          Option("hand-to", value: "NAME", "transfer the posts and comments of the removed user to NAME"),
          Option("with-posts", "also remove the posts and comments of the user, after a confirmation"),
          Option("yes", "do not ask for confirmation"),
        ] + common,
        examples: [
          Example(text: "Create the owner's account", line: "kennel user add Ada"),
          Example(text: "From a script", line: "kennel user add Bruno --password-stdin <password.txt"),
        ], completion: .choices(UserCommand.actions)),
      CommandDescription(
        "visibility", "show or decide who can see the photos", operands: "[people|everyone]", count: 0...1,
        discussion: [
          "In a new kennel, only people with an account can see the photos (people). With everyone, all who reach the server can see them. Running servers follow with their next request.",
          "A kennel of an earlier version was open to everyone. It stays open until its owner decides.",
        ], options: common,
        examples: [
          Example(text: "Only people with an account", line: "kennel visibility people")
        ], completion: .choices(VisibilityCommand.choices.map(\.rawValue))),
      CommandDescription(
        "bin", "list, restore or delete the posts in the bin", operands: "list|restore|empty [NUMBER…]",
        count: 1...1000,
        discussion: [
          "A post that is deleted on the page stays in the bin for 30 days, with its photo, comments and favourites. Only its author and the owners see it there. Then the server deletes it forever.",
          "list prints a line for each post: its number, the last day in the bin, its author and its caption, separated by tabs. restore makes posts visible again. empty deletes all posts in the bin forever, after a confirmation.",
        ],
        options: [Option("yes", "do not ask for confirmation")] + common,
        examples: [Example(text: "Restore post 12", line: "kennel bin restore 12")],
        completion: .choices(BinCommand.actions)),
      CommandDescription(
        "import", "post photos and folders of photos", operands: "PATH…", count: 1...100_000,
        discussion: [
          "PATH is a photo or a folder. A folder is read with all its subfolders, without hidden files and symbolic links. Photos are posted in the order of their modification dates.",
          "The kennel orders photos by the time when they were taken. It is read from the photo, or else it is the modification date of the file. For cameras that do not record their time zone, it is that of the setting time-zone in the configuration file or KENNEL_TIME_ZONE (default: that of this machine).",
          "Photos that were already posted are skipped, so an interrupted import continues when it is run again. Files that cannot be posted are reported, and the import continues.",
        ],
        options: [
          Option("as", value: "NAME", "post as the user NAME (default: the owner)"),
          Option("captions", "use descriptive file names as captions"),
          Option(
            "dry-run",
            "post nothing: read and decode all files, print the paths of those that would be posted, and report those that would be refused"
          ),
        ] + common,
        examples: [
          Example(text: "Import a folder", line: "kennel import --captions ~/Pictures/Dogs")
        ],
        completion: .files),
      CommandDescription(
        "sync", "copy new posts from other kennels", operands: "URL…", count: 1...100,
        discussion: [
          "The command copies posts that are not here yet, with their photos, captions, authors and dates. It validates the data of the other kennel: each photo must match its announced hash and must be a valid image.",
          "An interrupted sync continues where it stopped, even in the middle of a photo. Posts that were deleted here are not copied again.",
          "The command identifies other kennels by their identity, not by their address. It does not copy posts twice when a kennel moves or is restored from a backup. If a different kennel appears at a known address, the command reports this and copies its posts. A kennel cannot sync with itself.",
          "With --follow, the command keeps running and copies each new post as soon as the other kennel announces it. If the connection breaks, it reconnects after a delay of up to a minute, or after the delay that the other kennel requests. Ctrl-C or SIGTERM stops the command with status 0.",
        ],
        options: [
          Option("follow", "keep running, and copy new posts as they appear"),
          Option("as", value: "NAME", "post as the user NAME (default: the owner)"),
          Option(
            "allow-private", "also connect to private addresses, such as those of the local network"),
        ] + common,
        examples: [
          Example(text: "From a friend's kennel", line: "kennel sync https://dogs.example"),
          Example(
            text: "From two kennels, as new posts appear",
            line: "kennel sync --follow https://dogs.example https://hounds.example"),
        ], serviceOption: "follow"),
      CommandDescription(
        "backup", "write a backup of the kennel to a file", operands: "FILE", count: 1...1,
        discussion: [
          "FILE is a tar archive with the database and the photos, which only its owner can read. The kennel can be served during the backup. FILE appears under its name when the backup is complete. The backup does not contain sessions.",
          "If FILE is a symbolic link, its target is replaced. Pipes and devices are written to directly. Use - for standard output.",
        ], options: common,
        examples: [
          Example(text: "Every night, from cron", line: "kennel backup --quiet /backup/kennel.tar"),
          Example(text: "To another machine", line: "kennel backup - | ssh safe.example 'cat >kennel.tar'"),
        ],
        completion: .files),
      CommandDescription(
        "restore", "restore a kennel from a backup", operands: "FILE", count: 1...1,
        discussion: [
          "The kennel's directory must be empty or must not exist. The command verifies the backup before it puts the files in place. A damaged backup leaves nothing behind."
        ], options: common,
        examples: [
          Example(
            text: "Into another directory", line: "kennel restore --data /srv/kennel /backup/kennel.tar")
        ], completion: .files),
      CommandDescription(
        "check", "check that all posts and photos are complete and unchanged", operands: "", count: 0...0,
        discussion: [
          "The command checks the database and reads all photos. The kennel can be served meanwhile. If the command finds problems, it prints them and exits with status 1."
        ],
        options: [
          Option("repair", "remove photos that belong to no post"),
          Option("quick", "check only the sizes of the photos"),
        ] + common),
      CommandDescription(
        "demo", "draw pictures of dogs, and serve a kennel with them", operands: "[DIR]", count: 0...1,
        discussion: [
          "The program draws the pictures itself. With DIR, it creates the kennel in DIR and keeps it; if DIR already contains a kennel, it serves that one. Without DIR, it uses a temporary directory and removes it at the end.",
          "The program generates the owner's password and prints it. For a kennel in DIR, it prints the password each time, until the password is changed.",
          "All options of serve can be used.",
        ],
        options: [Option("dogs", value: "N", "the number of dogs (default: 24)")]
          + Setting.serving.map(\.option) + common,
        completion: .files, isService: true),
    ] + CommandDescription.common(program: "kennel")

  static let description = ProgramDescription(
    "kennel", version: URLSession.libraryVersion, summary: "share dog photos from your own machine",
    synopsis: "COMMAND [OPTION…] [ARGUMENT…]", commands: commands,
    environment: [
      .init("KENNEL_DATA, KENNEL_CONFIG", "same as --data and --config"),
      .init(
        Setting.serving.map(\.variable).joined(separator: ", "),
        "same as the options of serve with these names; yes or no for options without a value"),
      .init("STATE_DIRECTORY", "the default for --data, set by systemd"),
      .init("NOTIFY_SOCKET", "the socket on which the server reports that it is ready, set by systemd"),
    ],
    files: [
      .init("DIR/kennel.sqlite", "accounts, posts, comments and favourites"),
      .init("DIR/photos", "the photos, each named after the SHA-256 of its contents"),
      .init("DIR/thumbnails", "thumbnails, which are generated again when needed"),
      .init(
        "DIR/demo-password", "the owner's name and password in a demo, which only the user can read"),
      .init(
        "DIR/kennel.conf",
        "optional settings: one name = value per line, with the names of the options of serve; values can be quoted; lines that begin with # are comments"
      ),
    ],
    exits: ExitStatus.all.map { .init($0.status, $0.meaning) },
    sections: [
      .init(
        "SECURITY",
        [
          "Nobody can sign in until kennel user add has created an account. Without TLS, others on the network can read passwords. Unless Kennel or a proxy in front of it uses TLS, serve the kennel only to this machine, which is the default.",
          "Only use --trusted-proxy if no other client can connect from that address.",
        ])
    ])
}
