import Retriever
import TerminalProgram

// All commands and their options. Parser, help, manual and completions are made of this alone.
extension KennelProgram {
  private typealias Option = OptionDescription
  private typealias Example = CommandDescription.Example

  private static let common = [
    Setting.data.option,
    Option(
      "config", value: "FILE", completion: .files,
      "read settings from FILE; unless given, from kennel.conf in the kennel's directory"),
    Option("quiet", short: "q", "tell failures only"),
    Option("help", short: "h", "show what the command does and takes"),
  ]

  static let commands: [CommandDescription] =
    [
      CommandDescription(
        "serve", "serve the kennel: the page and its programming interface", operands: "", count: 0...0,
        discussion: [
          "The address is written to standard output. SIGTERM and SIGINT end it: no new connections, answers that are under way may end, then the status is 0. A service manager that asks for it is told when it is ready.",
          "A kennel answers only to names it knows, so that no foreign page can pass for it: to IP addresses, to localhost, to this machine's own name, also with .local behind it, and to those that --name says. What is encrypted on all its way needs no name.",
          "Each option can also be set in the environment, as KENNEL_PORT for --port, or in the configuration file, as port = 8080. The command line comes first, then the environment, then the file.",
        ],
        options: Setting.serving.map(\.option) + common,
        examples: [
          Example(
            text: "For the whole house", line: "kennel serve --address 0.0.0.0 --title 'The dogs of number 7'"
          ),
          Example(
            text: "Behind a proxy that encrypts",
            line: "kennel serve --unix-socket /run/kennel/http.sock --behind-tls --trusted-proxy unix"),
          Example(
            text: "Behind one that reaches it on its port",
            line: "kennel serve --behind-tls --trusted-proxy 127.0.0.1 --name dogs.example"),
        ], isService: true),
      CommandDescription(
        "user", "add, list and remove those who may sign in",
        operands: "add|list|password|role|remove [NAME]",
        count: 1...20,
        discussion: [
          "The first account is the owner's; those that follow are members', unless --role says otherwise. Owners delete anybody's posts and comments, members their own.",
          "The password is asked for at the terminal, and not shown. Before posts are removed with who posted them, it is asked whether they are to be, unless --yes says so.",
        ],
        options: [
          Option(
            "role", value: "ROLE", completion: .choices(["owner", "member"]),
            "of the account that is added or changed: owner or member"),
          Option("password-stdin", "read the password from standard input, whose first line it is"),
          Option("hand-to", value: "NAME", "give the posts and comments of who is removed to NAME"),
          Option("with-posts", "remove the posts and comments of who is removed as well, after asking"),
          Option("yes", "remove them without asking: for scripts"),
        ] + common,
        examples: [
          Example(text: "The owner's account", line: "kennel user add Ada"),
          Example(text: "From a script", line: "kennel user add Bruno --password-stdin <password.txt"),
        ], completion: .choices(UserCommand.actions)),
      CommandDescription(
        "import", "post photos, and folders of them", operands: "PATH…", count: 1...100_000,
        discussion: [
          "A PATH is a photo, or a folder, which is read with all that is below it, but for hidden files and links. Photos are posted in the order of their files' dates, which are their posts' dates too.",
          "Photos that are there already are left out. So an import can be cut off and done again: it goes on. Files that cannot be taken are named, and do not end it.",
        ],
        options: [
          Option("as", value: "NAME", "who posts them; the owner unless given"),
          Option("captions", "make captions of the files' names, where these say something"),
          Option(
            "dry-run",
            "post nothing: read and decode all files as for posting, write the paths of those that would be posted, and tell which would be refused"
          ),
        ] + common,
        examples: [
          Example(text: "All of a camera's photos", line: "kennel import --captions ~/Pictures/Dogs")
        ],
        completion: .files),
      CommandDescription(
        "sync", "take what other kennels share", operands: "URL…", count: 1...100,
        discussion: [
          "Posts that are not here yet are taken, with their photos, captions, authors and dates. Nothing of the other kennel is believed: a photo has to have the hash that was announced, and to be one.",
          "A sync that was cut off goes on where it was, in the middle of a photo too. What was deleted here does not come back.",
          "What was taken is remembered by which kennel it came from, wherever that is: from one that moves nothing is taken twice, nor from one that was restored from a backup. One that takes another's place is read as well, which is told. A kennel takes nothing from itself.",
          "With --follow it stays, and takes each new post as soon as the other kennel tells of it. A link that breaks is made again, after pauses of up to a minute, or as long as the other kennel asks for. Ctrl-C or SIGTERM ends it, and the status is 0.",
        ],
        options: [
          Option("follow", "stay, and take what is posted there from now on too"),
          Option("as", value: "NAME", "whose posts they are here; the owner's unless given"),
          Option(
            "allow-private", "connect to addresses that are not public as well, such as those of this house"),
        ] + common,
        examples: [
          Example(text: "From the kennel of a friend", line: "kennel sync https://dogs.example"),
          Example(
            text: "From two, as their posts come",
            line: "kennel sync --follow https://dogs.example https://hounds.example"),
        ], serviceOption: "follow"),
      CommandDescription(
        "backup", "write all there is into one file", operands: "FILE", count: 1...1,
        discussion: [
          "FILE is a tar archive with the database and the photos, for its owner's eyes only. It can be made while the kennel is served, and appears under its name when it is whole. Who is signed in is not in it.",
          "Where FILE is a link, the file that it leads to is replaced. A pipe or a tape is written to as it is, and - is standard output.",
        ], options: common,
        examples: [
          Example(text: "Every night, from cron", line: "kennel backup --quiet /backup/kennel.tar"),
          Example(text: "To another machine", line: "kennel backup - | ssh safe.example 'cat >kennel.tar'"),
        ],
        completion: .files),
      CommandDescription(
        "restore", "put a backup in place", operands: "FILE", count: 1...1,
        discussion: [
          "The kennel's directory must be empty, or not there. What the backup has is looked at before it is put in place: a damaged one leaves nothing behind."
        ], options: common,
        examples: [
          Example(
            text: "Into another directory", line: "kennel restore --data /srv/kennel /backup/kennel.tar")
        ], completion: .files),
      CommandDescription(
        "check", "look whether all that was posted is there and unchanged", operands: "", count: 0...0,
        discussion: [
          "Looks through the database, and reads all photos. Others may go on reading and writing meanwhile. What is found is told, and the status is 1."
        ],
        options: [
          Option("repair", "remove photos that no post has"),
          Option("quick", "only look at the photos' sizes"),
        ] + common),
      CommandDescription(
        "demo", "draw a litter of dogs, and serve a kennel with them", operands: "[DIR]", count: 0...1,
        discussion: [
          "The pictures are drawn by the program. The kennel is in DIR, which stays, and is served as it is when there is one already; or else in a temporary directory that goes at the end. The owner's password is made up, and shown; that of a kennel in DIR is shown each time, until it is changed.",
          "All options of serve apply.",
        ],
        options: [Option("dogs", value: "N", "how many; 24 unless given")] + Setting.serving.map(\.option)
          + common,
        completion: .files, isService: true),
    ] + CommandDescription.common(program: "kennel")

  static let description = ProgramDescription(
    "kennel", version: URLSession.libraryVersion, summary: "share dog photos from your own machine",
    synopsis: "COMMAND [OPTION…] [ARGUMENT…]", commands: commands,
    environment: [
      .init("KENNEL_DATA, KENNEL_CONFIG", "as --data and --config"),
      .init(
        Setting.serving.map(\.variable).joined(separator: ", "),
        "as the options of serve that are called so; yes or no where an option has no value"),
      .init("STATE_DIRECTORY", "the kennel's directory under systemd, unless another one is given"),
      .init("NOTIFY_SOCKET", "where a service manager wants to be told that the server is ready"),
    ],
    files: [
      .init("DIR/kennel.sqlite", "accounts, posts, comments and favourites"),
      .init("DIR/photos", "the photos, each named by the SHA-256 of its bytes"),
      .init("DIR/thumbnails", "what can be made again at any time"),
      .init(
        "DIR/demo-password", "of a demo's kennel, the owner's name and password, for its user's eyes only"),
      .init(
        "DIR/kennel.conf",
        "settings, if there are any: a name = value on each line, named as the options of serve, where a value may stand in quotes; a line that begins with # says nothing"
      ),
    ],
    exits: ExitStatus.all.map { .init($0.status, $0.meaning) },
    sections: [
      .init(
        "SECURITY",
        [
          "Nobody can sign in before kennel user add made an account. Without TLS, of its own or of a proxy in front, passwords can be read on the way: keep such a kennel to this machine, which is the usual.",
          "Believe a proxy with --trusted-proxy only where nobody else can connect from its address.",
        ])
    ])
}
