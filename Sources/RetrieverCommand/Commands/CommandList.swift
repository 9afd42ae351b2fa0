import Retriever
import TerminalProgram

/// All commands and their options. The parser, help, manual page and completions are generated from this list.
package enum CommandList {
  private typealias Option = OptionDescription
  private typealias Example = CommandDescription.Example

  // MARK: Options

  private static let help = Option("help", short: "h", "show help for the command")
  private static let json = Option("json", "print a report as JSON, one object per line")
  private static let quiet = Option("quiet", short: "q", "print only errors and warnings")
  private static let reporting = [
    json,
    Option(
      "har", value: "FILE", completion: .files,
      "record the traffic in FILE as an HTTP archive (HAR) without secrets"),
    quiet,
    Option("verbose", short: "v", "print each request and response, without secrets"),
    help,
  ]
  private static let connection = [
    Option(
      "header", short: "H", value: "FIELD", isRepeatable: true,
      "send the header field “Name: value”; @FILE reads fields from FILE, hidden from other users"),
    Option(
      "user", short: "u", value: "NAME",
      "sign in as NAME if the server asks; the password comes from RETRIEVER_PASSWORD, ~/.netrc or a prompt"
    ),
    Option("netrc-file", value: "FILE", completion: .files, "read FILE instead of ~/.netrc"),
    Option("no-netrc", "do not read ~/.netrc"),
    Option("timeout", value: "SECONDS", "fail if no data arrives for this many seconds"),
    Option(
      "max-size", value: "BYTES",
      "fail if more than BYTES arrive; 10M is ten million, 10Mi is 10 × 1024 × 1024"),
    Option(
      "ca-file", value: "FILE", completion: .files,
      "trust only the certificate authorities in the PEM file FILE"),
    Option(
      "insecure",
      "do not verify the server's certificate; anyone on the network can then impersonate the server, and read and change the data"
    ),
  ]
  private static let message = [
    Option(
      "method", short: "X", value: "METHOD", "use this request method (default: GET, or POST with a body)"),
    Option("data", short: "d", value: "TEXT", "send TEXT as the body"),
    Option(
      "data-file", value: "FILE", completion: .files,
      "send the contents of FILE as the body; - is standard input"),
  ]
  private static let force = Option("force", short: "f", "replace existing files")
  private static let strict = Option(
    "strict", "fail for damaged images instead of showing what could be decoded")

  private static func output(_ summary: String) -> OptionDescription {
    Option("output", short: "o", value: "FILE|DIR|-", completion: .files, summary)
  }

  private static func parallel(_ count: Int) -> OptionDescription {
    Option("parallel", short: "P", value: "N", "process up to N at the same time (default: \(count))")
  }

  private static let encoding = [
    Option(
      "format", value: "FORMAT", completion: .choices(["jpeg", "png", "webp"]),
      "jpeg, png or webp (default: from the output's extension, else jpeg)"),
    Option("quality", value: "N", "the quality of JPEG and WebP, from 1 to 100 (default: 82)"),
    Option("cache", "store fetched images in the user's cache directory, and reuse them"),
  ]

  private static let following =
    message + [
      output("write to FILE instead of standard output"), force,
      Option("no-reconnect", "exit when the connection ends"),
      Option(
        "reconnect-delay", value: "SECONDS",
        "wait this long before reconnecting; the delay grows each time no data arrives"),
    ]

  // MARK: Commands

  package static let all: [CommandDescription] =
    [
      CommandDescription(
        "get", "fetch URLs and write their bodies to standard output or files", operands: "URL…",
        count: 1...10_000,
        discussion: [
          "Bodies are written to standard output in the order of the URLs. With --output, they are written to a file or into a directory.",
          "If the status is 400 or more, the body is still written to standard output, because it often contains the reason. It is never written to a file.",
        ],
        options: message + [
          output("write to FILE, or into the directory DIR under the name that the server suggests"), force,
          parallel(1),
        ] + connection + reporting,
        examples: [
          Example(
            text: "Send JSON and print the response",
            line:
              "retriever get --data '{\"name\":\"Rex\"}' -H 'Content-Type: application/json' https://kennel.example/dogs"
          )
        ]),
      CommandDescription(
        "download", "download URLs to files, and resume interrupted downloads", operands: "URL…",
        count: 1...10_000,
        discussion: [
          "During a download, the file is named NAME.part. When the download is complete, the file is renamed to NAME. An interrupted download, also with Ctrl-C, is kept in NAME.part, together with NAME.part.resume. This requires a validator from the server, with which a later run can verify that the file has not changed. Without a validator, NAME.part is removed. A message reports either case.",
          "With --resume, a later run continues such a download (Range, If-Range). If the file has changed on the server, it is downloaded again from the start.",
          "Names suggested by servers are made safe: directories, leading dots and hyphens, and control characters are removed or replaced.",
        ],
        options: [
          output("write to FILE, into the directory DIR, or to standard output"), force,
          Option("resume", short: "c", "continue interrupted downloads of an earlier run"), parallel(4),
        ] + message + connection + reporting,
        examples: [
          Example(
            text: "Resume an interrupted download",
            line: "retriever download --resume https://kennel.example/photos.tar")
        ]),
      CommandDescription(
        "upload", "send files to a URL", operands: "FILE… URL", count: 2...10_000,
        discussion: [
          "Each file is sent with PUT while it is read. If the URL ends in /, the name of the file is appended to it. - is standard input.",
          "The file name's extension, such as .jpg, .json or .txt, determines Content-Type. Standard input and files with no or an unknown extension are sent as application/octet-stream. Use --header 'Content-Type: TYPE' to set another type.",
          "The bodies of the responses are written to standard output. A response of more than 64 MiB is an error; --max-size sets another limit.",
        ],
        options: [
          Option("method", short: "X", value: "METHOD", "use this request method (default: PUT)"),
          output("write the responses to FILE"), force, parallel(2),
        ] + connection + reporting,
        examples: [
          Example(text: "Send some photos", line: "retriever upload *.jpg https://kennel.example/photos/")
        ], completion: .files),
      CommandDescription(
        "lines", "follow URLs line by line", operands: "URL…", count: 1...64,
        discussion: [
          "Each line is written as soon as it is complete. If the connection is lost, the URL is fetched again after a delay that grows with each failed attempt. When a body ends normally, its URL is done. Several URLs are followed at the same time."
        ],
        options: following + connection + reporting,
        examples: [
          Example(
            text: "Pipe live counts to another program",
            line: "retriever lines https://kennel.example/favourites | jq .count")
        ]),
      CommandDescription(
        "events", "follow streams of server-sent events", operands: "URL…", count: 1...64,
        discussion: [
          "The data of each event is written as soon as the event is complete, after the event's name if it has one. With --json, each event is an object with event, id and data. If the stream ends or breaks, the command reconnects with Last-Event-ID, after the delay that the server requests. A response with status 204 ends the stream."
        ],
        options: following
          + [Option("last-event-id", value: "ID", "start after this event")] + connection + reporting,
        examples: [
          Example(
            text: "Follow all events", line: "retriever events --json https://kennel.example/events")
        ]),
      CommandDescription(
        "thumbnail", "create thumbnails of images", operands: "URL|FILE…", count: 1...100_000,
        discussion: [
          "JPEG, PNG, WebP, GIF, HEIC and AVIF images are supported. Images are decoded while they are downloaded. Thumbnails are upright and keep their colours; the camera's metadata is removed. The result is NAME-WxH.jpg (or .png, .webp).",
          "A damaged image gives a warning, and its thumbnail shows what could be decoded. With --strict, it is an error.",
        ],
        options: [
          Option("size", short: "s", value: "WxH", "the size in pixels (required)"),
          Option("fit", "fit the complete image into the size (default)"),
          Option("fill", "fill the complete size, and crop the image"),
          Option("stretch", "use exactly the size, without keeping the proportions"),
          Option("enlarge", "enlarge images that are smaller than the size"),
          strict,
          Option("animated", "keep the frames of GIF and WebP animations; the results are WebP files"),
          Option(
            "frames", value: "N",
            "with --animated: the maximum number of frames, from 1 to 1000 (default: 100)"),
          output("write to FILE, into the directory DIR, or to standard output"), force, parallel(8),
        ] + encoding + connection + reporting,
        examples: [
          Example(
            text: "Create thumbnails of all photos in a directory",
            line: "retriever thumbnail --size 320x320 --output small/ *.jpg")
        ], completion: .files),
      CommandDescription(
        "collage", "draw a list of images to one collage", operands: "URL|FILE|-", count: 1...1,
        discussion: [
          "The list has one URL or ID per line; # begins a comment. An ID replaces {id} in --base, or is appended to it. Without --base, IDs are relative to the list. Images are fetched and scaled while they and the list are still loading.",
          "Images that fail are reported, and their cells stay empty. The result is written to collage.jpg, or to the file given with --output.",
        ],
        options: [
          Option("base", value: "URL", "the URL of the images; the ID replaces {id} or is appended"),
          Option("columns", value: "N", "the number of images per row (default: 4)"),
          Option("cell", value: "WxH", "the size of each cell in pixels (default: 160x160)"),
          Option("spacing", value: "N", "the space between cells in pixels (default: 8)"),
          Option(
            "background", value: "COLOUR",
            "white, black, transparent, #rrggbb or #rrggbbaa (default: white)"),
          Option("fit", "show each image completely instead of filling its cell"), strict,
          output("write to FILE, into the directory DIR, or to standard output"), force, parallel(8),
        ] + encoding + connection + reporting,
        examples: [
          Example(
            text: "Draw a collage of all dogs",
            line:
              "retriever collage --base 'https://kennel.example/photos/{id}.jpg' --columns 10 https://kennel.example/ids"
          )
        ], completion: .files),
      CommandDescription(
        "strip", "remove the location and other metadata from images", operands: "FILE…", count: 1...100_000,
        discussion: [
          "JPEG, PNG, WebP, GIF, HEIC and AVIF images, and MP4 and QuickTime videos, are copied without being encoded again, so that no quality is lost. The orientation, the colour profile and the gain map of an HDR photo remain. Everything else is removed: the location, the time, the camera and its serial number, names, titles, comments and thumbnails.",
          "With --in-place, a file is replaced only after its copy is complete and on the disk. An error or Ctrl-C leaves the original.",
        ],
        options: [
          output("write to FILE, into the directory DIR, or to standard output"),
          Option("in-place", short: "i", "replace the files themselves"), force, parallel(4), json, quiet,
          help,
        ],
        examples: [
          Example(text: "Remove the location from photos", line: "retriever strip --in-place *.jpg"),
          Example(text: "Copy photos without metadata", line: "retriever strip --output shared/ *.jpg"),
        ], completion: .files),
      CommandDescription(
        "inspect", "show the metadata of images, and how long each phase of a request takes",
        operands: "URL|FILE…", count: 1...1_000,
        discussion: [
          "For an image, the format, the size and the metadata are shown: when, where and with which camera a photo was taken, titles and names. This also works with URLs of images. An argument that is the name of an existing file, or starts with / or ., is a file; everything else is a URL.",
          "For each hop of a redirect chain, bars show the time for the name look-up, connecting, TLS, the request, waiting and receiving. The protocol, the addresses and the response's header fields are shown too. Secrets are left out. A response with a status of 400 or more is also shown and does not count as a failure.",
        ],
        options: message + connection + reporting,
        examples: [
          Example(text: "Show when and where a photo was taken", line: "retriever inspect photo.jpg")
        ], completion: .files),
    ] + CommandDescription.common(program: "retriever")

  package static let program = ProgramDescription(
    "retriever", version: URLSession.libraryVersion,
    summary: "download, upload, follow and inspect URLs, create thumbnails, and remove metadata",
    commands: all,
    environment: [
      .init(
        "RETRIEVER_USER, RETRIEVER_PASSWORD",
        "the user name and password for the hosts on the command line"),
      .init("http_proxy, https_proxy, all_proxy, no_proxy", "the proxies to use, as in most programs"),
      .init("XDG_CACHE_HOME", "the directory in which --cache stores images"),
    ],
    files: [
      .init("~/.netrc", "host names, user names and passwords; only its owner should be able to read it"),
      .init(
        "NAME.part, NAME.part.resume",
        "an unfinished download, and the information needed to resume it"),
    ],
    exits: ExitStatus.all.map { .init($0.status, $0.meaning) },
    sections: [
      .init(
        "SECURITY",
        [
          "Passwords on the command line are visible to all users of the machine. They work, with a warning. "
            + "Passwords from a prompt, the command line or the environment are sent only to the hosts on the "
            + "command line, and never to another host after a redirect. Archives, messages and JSON contain "
            + "no secrets."
        ])
    ])
}
