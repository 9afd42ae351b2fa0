import Retriever
import TerminalProgram

/// All commands and their options. Parser, help, manual and completions are made of this alone.
package enum CommandList {
  private typealias Option = OptionDescription
  private typealias Example = CommandDescription.Example

  // MARK: Options

  private static let help = Option("help", short: "h", "show what the command does and takes")
  private static let telling = [
    Option("json", "tell what was done as JSON, one object a line"),
    Option(
      "har", value: "FILE", completion: .files,
      "write what went over the wire to FILE, an HTTP archive without secrets"),
    Option("quiet", short: "q", "tell failures only"),
    Option("verbose", short: "v", "tell each request and answer, without secrets"),
    help,
  ]
  private static let connection = [
    Option(
      "header", short: "H", value: "FIELD", isRepeatable: true,
      "send a header field, “Name: value”; @FILE reads fields from a file, where nobody sees them"),
    Option(
      "user", short: "u", value: "NAME",
      "sign in as NAME when the server asks; the password comes from RETRIEVER_PASSWORD, ~/.netrc or is asked for"
    ),
    Option("netrc-file", value: "FILE", completion: .files, "read this file instead of ~/.netrc"),
    Option("no-netrc", "do not read ~/.netrc"),
    Option("timeout", value: "SECONDS", "give up when nothing came for so long"),
    Option(
      "max-size", value: "BYTES", "give up when more comes; 10M is ten million, 10Mi is 10 × 1024 × 1024"),
    Option(
      "ca-file", value: "FILE", completion: .files,
      "trust the certificate authorities in FILE, in PEM, and no others"),
    Option(
      "insecure",
      "do not look at the server's certificate: anybody on the way may then pretend to be it, and read and change everything"
    ),
  ]
  private static let message = [
    Option("method", short: "X", value: "METHOD", "use another method than GET (POST with a body)"),
    Option("data", short: "d", value: "TEXT", "send TEXT as the body"),
    Option("data-file", value: "FILE", completion: .files, "send a file as the body, standard input for -"),
  ]
  private static let force = Option("force", short: "f", "replace files that are there already")

  private static func output(_ summary: String) -> OptionDescription {
    Option("output", short: "o", value: "FILE|DIR|-", completion: .files, summary)
  }

  private static func parallel(_ count: Int) -> OptionDescription {
    Option("parallel", short: "P", value: "N", "work on so many at a time; \(count) unless given")
  }

  private static let encoding = [
    Option(
      "format", value: "FORMAT", completion: .choices(["jpeg", "png", "webp"]),
      "jpeg, png or webp; unless given, what the output's name says, else jpeg"),
    Option("quality", value: "N", "of JPEG and WebP, from 1 to 100; 82 unless given"),
    Option("cache", "keep what was fetched in the user's directory for caches, and use what is there"),
  ]

  private static let following =
    message + [
      output("write to FILE instead of standard output"), force,
      Option("no-reconnect", "end when the connection does"),
      Option(
        "reconnect-delay", value: "SECONDS",
        "wait so long before connecting again; longer each time nothing comes"),
    ]

  // MARK: Commands

  package static let all: [CommandDescription] =
    [
      CommandDescription(
        "get", "fetch URLs and write their bodies to standard output or files", operands: "URL…",
        count: 1...10_000,
        discussion: [
          "Bodies go to standard output, one behind the other in the order of the URLs; with --output, to a file or into a directory.",
          "With a status of 400 or more the body is shown, since it often says why, but never written to a file.",
        ],
        options: message + [
          output("write to FILE, or into the directory DIR under the name that the server proposes"), force,
          parallel(1),
        ] + connection + telling,
        examples: [
          Example(
            text: "Send JSON and show the answer",
            line:
              "retriever get --data '{\"name\":\"Rex\"}' -H 'Content-Type: application/json' https://kennel.example/dogs"
          )
        ]),
      CommandDescription(
        "download", "fetch URLs into files, with progress, and go on with what was cut off", operands: "URL…",
        count: 1...10_000,
        discussion: [
          "A file is NAME.part until it is whole. What is cut off, by Ctrl-C too, is kept if the server gave a validator by which a later run can tell that the file is still the same, in NAME.part with NAME.part.resume beside it; else it is removed. Either is said.",
          "With --resume a later run goes on there (Range, If-Range); a file that has changed since is loaded anew.",
          "Names that servers propose lose what could do harm: directories, leading dots and hyphens, control characters.",
        ],
        options: [
          output("write to FILE, into the directory DIR, or to standard output"), force,
          Option("resume", short: "c", "go on with what an earlier run has left"), parallel(4),
        ] + message + connection + telling,
        examples: [
          Example(
            text: "Go on with a download that was cut off",
            line: "retriever download --resume https://kennel.example/photos.tar")
        ]),
      CommandDescription(
        "upload", "send files to a URL", operands: "FILE… URL", count: 2...10_000,
        discussion: [
          "Files are sent piece by piece with PUT. To a URL that ends in / their names are added. - is standard input.",
          "Content-Type goes by the end of a file's name, as in .jpg, .json or .txt; what has none that is known, and standard input, is application/octet-stream. --header 'Content-Type: TYPE' says otherwise.",
          "What the server answers goes to standard output.",
        ],
        options: [
          Option("method", short: "X", value: "METHOD", "use another method than PUT"),
          output("write the answers to FILE"), force, parallel(2),
        ] + connection + telling,
        examples: [
          Example(text: "Send some photos", line: "retriever upload *.jpg https://kennel.example/photos/")
        ], completion: .files),
      CommandDescription(
        "lines", "follow URLs line by line", operands: "URL…", count: 1...64,
        discussion: [
          "Each line is written as soon as its end has come. When the connection is lost the URL is fetched again, after a while that grows; a body that ends as it should ends the command. Several URLs are followed at the same time."
        ],
        options: following + connection + telling,
        examples: [
          Example(
            text: "Live counts, for another program",
            line: "retriever lines https://kennel.example/favourites | jq .count")
        ]),
      CommandDescription(
        "events", "follow streams of server-sent events", operands: "URL…", count: 1...64,
        discussion: [
          "The data of each event is written as soon as it is complete, after the event's name if it has one; with --json, an object with event, id and data. When the stream ends or breaks it is taken up again with Last-Event-ID, as late as the server asks for; 204 ends it."
        ],
        options: following
          + [Option("last-event-id", value: "ID", "begin behind this event")] + connection + telling,
        examples: [
          Example(
            text: "What happens in the kennel", line: "retriever events --json https://kennel.example/events")
        ]),
      CommandDescription(
        "thumbnail", "make small pictures of large ones, while they arrive", operands: "URL|FILE…",
        count: 1...100_000,
        discussion: [
          "JPEG, PNG, WebP and GIF are read, upright and in their colours; what the camera noted is not written. The picture is decoded while it is downloaded. The result is NAME-WxH.jpg (or .png, .webp)."
        ],
        options: [
          Option("size", short: "s", value: "WxH", "in pixels; needed"),
          Option("fit", "the whole picture within the size (the usual)"),
          Option("fill", "the whole size covered; what stands over is cut off"),
          Option("stretch", "exactly the size, the proportions given up"),
          Option("enlarge", "make pictures larger that are smaller than the size"),
          output("write to FILE, into the directory DIR, or to standard output"), force, parallel(8),
        ] + encoding + connection + telling,
        examples: [
          Example(
            text: "Thumbnails of all photos of a directory",
            line: "retriever thumbnail --size 320x320 --output small/ *.jpg")
        ], completion: .files),
      CommandDescription(
        "collage", "draw a list of pictures to one", operands: "URL|FILE|-", count: 1...1,
        discussion: [
          "The list has one URL or id a line; # begins a comment. Ids are added to --base, or put in place of {id} in it; without --base they are relative to the list. Pictures are fetched and scaled while the list and they themselves still arrive.",
          "Pictures that fail are named, and leave their cell empty. The result is collage.jpg unless --output says otherwise.",
        ],
        options: [
          Option("base", value: "URL", "where the ids are"),
          Option("columns", value: "N", "how many pictures stand in a row; 4 unless given"),
          Option("cell", value: "WxH", "the size of each, in pixels; 160x160 unless given"),
          Option("spacing", value: "N", "the pixels between them; 8 unless given"),
          Option(
            "background", value: "COLOUR", "white unless given; black, transparent, #rrggbb or #rrggbbaa"),
          Option("fit", "show the whole of each picture instead of covering its cell"),
          output("write to FILE, into the directory DIR, or to standard output"), force, parallel(8),
        ] + encoding + connection + telling,
        examples: [
          Example(
            text: "All dogs",
            line:
              "retriever collage --base 'https://kennel.example/photos/{id}.jpg' --columns 10 https://kennel.example/ids"
          )
        ], completion: .files),
      CommandDescription(
        "inspect", "show where the time of a request goes", operands: "URL…", count: 1...1_000,
        discussion: [
          "For each hop of a chain of redirects: name look-up, connecting, TLS, the request, waiting and receiving as bars; protocol, addresses and the answer's fields. Secrets are left out. A status of 400 or more is shown as well, and is no failure here."
        ],
        options: message + connection + telling),
    ] + CommandDescription.common(program: "retriever")

  package static let program = ProgramDescription(
    "retriever", version: URLSession.libraryVersion,
    summary: "fetch, send, follow and look at what is on the web",
    commands: all,
    environment: [
      .init(
        "RETRIEVER_USER, RETRIEVER_PASSWORD",
        "who to sign in as at the hosts of the command line, and with which password"),
      .init("http_proxy, https_proxy, all_proxy, no_proxy", "proxies, as with most programs"),
      .init("XDG_CACHE_HOME", "where --cache keeps images"),
    ],
    files: [
      .init("~/.netrc", "hosts, names and passwords; only its owner should be able to read it"),
      .init(
        "NAME.part, NAME.part.resume",
        "a download that is under way or was cut off, and what is needed to go on with it"),
    ],
    exits: ExitStatus.all.map { .init($0.status, $0.meaning) },
    sections: [
      .init(
        "SECURITY",
        [
          "Passwords on the command line can be seen by everybody on the machine; they work, with a warning. "
            + "Passwords that were typed in, given on the command line or in the environment go to the hosts of the "
            + "command line only, and never along with a redirect to another host. Archives, messages and JSON are "
            + "written without secrets."
        ])
    ])
}
