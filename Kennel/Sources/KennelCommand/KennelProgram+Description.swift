import KennelModel
import Retriever
import TerminalProgram

// All commands and their options. The parser, the help, the manual page and the completions use only this description.
extension KennelProgram {
  private typealias Option = OptionDescription
  private typealias Example = CommandDescription.Example

  static let common = [
    Setting.data.option,
    Option(
      "config", value: "FILE", completion: .files,
      "read settings from FILE (default: kennel.conf in the kennel's directory)"),
    Option("quiet", short: "q", "print only errors and warnings"),
    Option("help", short: "h", "show help for the command"),
  ]

  private static let passphrase = Option(
    "passphrase-file", value: "FILE", completion: .files,
    "encrypt or decrypt the backup with the passphrase in the first line of FILE")

  static let commands: [CommandDescription] =
    [
      CommandDescription(
        "serve", "serve the kennel: its web pages and its HTTP API", operands: "", count: 0...0,
        discussion: [
          "The command prints the address of the server. SIGTERM and SIGINT stop the server: it accepts no new connections, completes open responses, and exits with status 0. If NOTIFY_SOCKET is set, as under systemd, the server reports when it is ready.",
          "The server uses a renewed certificate and key for new connections after SIGHUP, and when the files have changed and then stayed the same for a minute. If it cannot use them, it keeps the earlier ones and reports why. In a terminal, SIGHUP ends the server.",
          "The server answers only requests for host names that it knows, so that other websites cannot impersonate it (DNS rebinding). It knows IP addresses, localhost, the name of this machine, that name with .local, and the names given with --name. It does not check the name if the connection uses TLS, either directly or through a proxy on the Unix socket.",
          "In a new kennel, only people with an account can see the photos. kennel visibility everyone opens it for all who reach the server. Owners can decide it on the page, too.",
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
        operands: "add|list|password|reset|role|remove [NAME] [ROLE]",
        count: 1...20,
        discussion: [
          "The first account belongs to the owner. Later accounts are members (default), viewers or owners. Viewers can look at the photos, give hearts and write comments; members can also share photos; owners can also delete all posts and comments, and change accounts. The last owner cannot be removed or made a member.",
          "kennel user reset NAME prints a link with which NAME can set a new password.",
          "The albums of a removed user stay: the first owner gets them, or who gets the posts with --hand-to.",
          "The command asks for the password at the terminal and does not show it. It also asks before it removes the posts and comments of a user, unless --yes is given.",
        ],
        options: [
          Option(
            "role", value: "ROLE", completion: .choices(User.Role.allCases.map(\.rawValue)),
            "the role of the added or changed account: owner, member or viewer"),
          Option("password-stdin", "read the password from the first line of standard input"),
          Option("hand-to", value: "NAME", "transfer the posts and comments of the removed user to NAME"),
          Option("with-posts", "also remove the posts and comments of the user, after a confirmation"),
          Option("yes", "do not ask for confirmation"),
          Option(
            "url", value: "URL", "the address of the kennel in the link (default: that of its latest server)"),
        ] + common,
        examples: [
          Example(text: "Create the owner's account", line: "kennel user add Ada"),
          Example(text: "From a script", line: "kennel user add Bruno --password-stdin <password.txt"),
          Example(text: "Let Bruno look, but not share photos", line: "kennel user role Bruno viewer"),
        ], completion: .choices(UserCommand.actions)),
      CommandDescription(
        "invite", "print a link with which a person creates an account", operands: "", count: 0...0,
        discussion: [
          "The link works once, and until it expires. If standard output is a terminal, a QR code for a phone follows. Owners also make links on the page People, which lists open ones and revokes them."
        ],
        options: [
          Option(
            "role", value: "ROLE", completion: .choices(User.Role.allCases.map(\.rawValue)),
            "the role of the new account: owner, member or viewer (default: member)"),
          Option("days", value: "N", "the number of days for which the link is valid, up to 90 (default: 7)"),
          Option(
            "url", value: "URL", "the address of the kennel in the link (default: that of its latest server)"),
        ] + common,
        examples: [
          Example(text: "For a grandmother who only wants to look", line: "kennel invite --role viewer")
        ]),
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
        "quota", "limit how much space the photos of each person take",
        operands: "[NAME] [SIZE|none|default]", count: 0...2,
        discussion: [
          "Without operands, the command prints a line for each person: the name, what the photos take, and what they may take, separated by tabs. With NAME, it prints the line of one person.",
          "SIZE is a number with a unit, such as 20GB or 500MB. none is no limit, and default is the limit of --default. A new kennel has no limits.",
          "All photos of a person count, also those in the bin, because they take space on the disk until they are deleted forever. Nothing is deleted if the photos take more than a new limit. Uploads that would exceed the limit are refused. Photos that kennel import and kennel sync post as the person count, but are not refused.",
        ],
        options: [Option("default", "show or set the limit of all who have no limit of their own")] + common,
        examples: [
          Example(text: "Everyone may use 20 GB", line: "kennel quota --default 20GB"),
          Example(text: "Bruno may use 50 GB", line: "kennel quota Bruno 50GB"),
        ]),
      CommandDescription(
        "album", "list, make, fill and delete albums",
        operands: "list|create|rename|add|remove|delete [ARGUMENT…]", count: 0...1002,
        discussion: [
          "An album shows some of the photos under a title. list prints a line for each album: its number, how many photos it shows, its owner and its title, separated by tabs. create TITLE makes an album, and rename NUMBER TITLE changes its title.",
          "add NUMBER PHOTO… puts photos into an album, and remove NUMBER PHOTO… takes them out. PHOTO is the number at the end of the address of a photo's page. A photo can be in several albums. delete NUMBER… deletes albums and the links to them, but no photo.",
          "On the page, members and owners make albums from a selection of photos. The owner of an album and the owners of the kennel change it. All members can add photos to an open album.",
        ],
        options: [
          Option("as", value: "NAME", "create the album for the user NAME (default: the owner)"),
          Option("open", "let all members add photos to the created album"),
        ] + common,
        examples: [
          Example(text: "Make an album", line: "kennel album create 'Summer at the lake'"),
          Example(text: "Put the photos 12 and 15 into album 3", line: "kennel album add 3 12 15"),
        ], completion: .choices(AlbumCommand.actions)),
      CommandDescription(
        "links", "list and revoke the secret links to photos and albums", operands: "[list|revoke NUMBER…]",
        count: 0...1000,
        discussion: [
          "The author of a photo and owners make links on the page of the photo. Anyone who has the link can see the photo, its caption and the name of its author, without an account. The owner of an album and the owners of the kennel make links on the page of the album. Such a link shows the photos that are in the album when someone opens it. The kennel stores only the hash of a link, so the list cannot show the link itself.",
          "A revoked link does not work any more with the next request. A backup contains no links.",
        ], options: common,
        examples: [Example(text: "Revoke the links 3 and 4", line: "kennel links revoke 3 4")],
        completion: .choices(LinksCommand.actions)),
      CommandDescription(
        "peer", "give other kennels tokens for kennel sync, and withdraw them",
        operands: "add|list|remove [NAME]", count: 1...20,
        discussion: [
          "A kennel that is only for people with an account shares its posts only with kennels that have a token. With its token, another kennel can read the posts that were made here and their photos, and hears of new ones.",
          "The command peer add prints the token, which is shown only once, on standard output. The kennel stores only its hash. A token that was removed does not work any more with the next request.",
        ], options: common,
        examples: [
          Example(text: "A token for the kennel of a friend", line: "kennel peer add Hounds >token.txt"),
          Example(
            text: "In the other kennel", line: "kennel sync https://dogs.example --token-file token.txt"),
        ], completion: .choices(PeerCommand.actions)),
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
        "import", "post photos, videos and folders of them", operands: "PATH…", count: 1...100_000,
        discussion: [
          "PATH is a photo, a video or a folder. A folder is read with all its subfolders, without hidden files and symbolic links. Photos are posted in the order of their modification dates.",
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
          "A kennel that is only for people with an account needs a token, which its owner makes with kennel peer add. The token is in the file of --token-file, or in the variable KENNEL_PEER_TOKEN. It is sent only to the kennel at URL.",
          "With --follow, the command keeps running and copies each new post as soon as the other kennel announces it. If the connection breaks, it reconnects after a delay of up to a minute, or after the delay that the other kennel requests. Ctrl-C or SIGTERM stops the command with status 0.",
        ],
        options: [
          Option("follow", "keep running, and copy new posts as they appear"),
          Option("as", value: "NAME", "post as the user NAME (default: the owner)"),
          Option(
            "token-file", value: "FILE", completion: .files,
            "read the token for the other kennel from FILE; only with one URL"),
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
        "backup", "write a backup of the kennel to a file or a directory", operands: "[FILE]", count: 0...1,
        discussion: [
          "FILE is a tar archive with the database and the photos, which only its owner can read. The kennel can be served during the backup. FILE appears under its name when the backup is complete. The backup contains photos as they were uploaded, with their places. It does not contain sessions, secret links or the tokens that kennel peer makes for other kennels. A kennel in PostgreSQL and a store gives the same backup, which can be restored into a directory, too.",
          "If FILE is a symbolic link, its target is replaced. Pipes and devices are written to directly. Use - for standard output.",
          "With --to, the command adds a backup to DIR. Photos that an earlier backup there has are not written again, but each backup is complete and can be restored without the others. DIR must be empty at first, or must not exist. The command does not read the photos again that are in DIR; kennel restore verifies them.",
          "With --passphrase-file, the backup is encrypted. Without the passphrase, nobody can restore it. The passphrase is the first line of the file, and FILE can be a descriptor, such as /dev/fd/3.",
        ],
        options: [
          Option("to", value: "DIR", completion: .files, "add a backup to the directory DIR"),
          Option(
            "keep", value: "N", "with --to: keep the latest N backups, and remove older ones (default: all)"),
          passphrase,
        ] + common,
        examples: [
          Example(text: "Every night, from cron", line: "kennel backup --quiet /backup/kennel.tar"),
          Example(
            text: "Into a directory, with the backups of a month",
            line: "kennel backup --to /backup/kennel --keep 30"),
          Example(text: "To another machine", line: "kennel backup - | ssh safe.example 'cat >kennel.tar'"),
        ],
        completion: .files),
      CommandDescription(
        "restore", "restore a kennel from a backup", operands: "FILE|DIR", count: 1...1,
        discussion: [
          "The kennel's directory must be empty or must not exist. The command verifies the backup before it puts the files in place. A damaged backup leaves nothing behind.",
          "DIR is a directory of kennel backup --to, of which the latest backup is restored. To restore an earlier one, give its file in DIR/snapshots.",
          "With --database or --photos, or these settings, the records go to PostgreSQL, or the photos to a store. It does not matter where they were when the backup was made. The database must be empty, and the store must have no photos. The kennel's directory needs space for all photos meanwhile.",
          "People sign in again. Other kennels that copied posts with a token need new tokens, which kennel peer add makes.",
        ],
        options: [passphrase] + ["database", "photos"].compactMap { Setting.named($0)?.option } + common,
        examples: [
          Example(
            text: "Into another directory", line: "kennel restore --data /srv/kennel /backup/kennel.tar"),
          Example(
            text: "Into PostgreSQL and a store",
            line:
              "kennel restore --database postgres://kennel@localhost/kennel --photos s3://dogs /backup/kennel"
          ),
        ], completion: .files),
      moveDescription,
      CommandDescription(
        "check", "check that all posts and photos are complete and unchanged", operands: "", count: 0...0,
        discussion: [
          "The command checks the database and reads all photos. If it finds problems, it prints them and exits with status 1. In PostgreSQL, it checks the references between the tables, the counters and the search. Photos that are in a store are read from it, which --quick avoids.",
          "Without --repair, the command only reads: it creates, changes and removes no file of the kennel, so it can also run on a copy that cannot be written to. The kennel can be served meanwhile. A kennel of an earlier version is refused, and so is one whose latest changes are in a log that cannot be read without changing it. Start the server or use --repair to update it.",
        ],
        options: [
          Option(
            "repair",
            "update a kennel of an earlier version, clean up after killed processes, remove photos that belong to no post, and rebuild the search index if it is wrong"
          ),
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
      .init(
        KennelVariables.peerToken, "the token for the other kennel, for kennel sync without --token-file"),
      .init("STATE_DIRECTORY", "the default for --data, set by systemd"),
      .init("NOTIFY_SOCKET", "the socket on which the server reports that it is ready, set by systemd"),
    ],
    files: [
      .init("DIR/kennel.sqlite", "accounts, posts, comments and favourites"),
      .init(
        "DIR/records-in-postgresql",
        "an empty file that replaces kennel.sqlite if the kennel uses PostgreSQL; all commands but demo then need --database, KENNEL_DATABASE or kennel.conf"
      ),
      .init(
        "DIR/kennel.sqlite.v…",
        "copies of the database that were made before later versions of Kennel changed its format; the latest three are kept"
      ),
      .init(
        "DIR/photos",
        "the photos without their metadata, and what was taken out of them, each named after the SHA-256 of its contents"
      ),
      .init(
        "DIR/photos.store",
        "the address of the store with the photos, which replaces DIR/photos if the kennel uses one"),
      .init(
        "DIR/*.moved-…",
        "files that the kennel does not use any more after kennel move; they can be removed when it works"),
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
          "A kennel without accounts prints a link with which the first owner is created. Anyone who reads the output of the server, such as the journal of systemd, can use it until it was used or 24 hours have passed. Without TLS, others on the network can read passwords. Unless Kennel or a proxy in front of it uses TLS, serve the kennel only to this machine, which is the default.",
          "Other people get photos without their metadata, such as the place, serial numbers and names. The author of a photo can download it as it was uploaded, and can share its metadata on its page.",
          "Only use --trusted-proxy if no other client can connect from that address. Only use --trusted-user-header if that proxy signs users in, and replaces the header field in all requests.",
        ])
    ])
}
