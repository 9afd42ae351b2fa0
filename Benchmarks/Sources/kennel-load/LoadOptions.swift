import Foundation
import KennelLoad
import TerminalProgram

/// The options of the command `run`.
struct LoadOptions: Sendable {
  /// Who acts.
  enum Accounts: Sendable {
    /// Visitors without an account, who only look.
    case strangers
    /// The accounts in a file, one on each line: the name, a colon and the password.
    case file(String)
    /// New accounts, which the owner invites.
    case invited(owner: String, passwordFile: String)
  }

  static let maximumPeople = 5_000
  static let maximumListeners = 10_000

  let addresses: [LoadAddress]
  let people: Int
  let listeners: Int
  let seconds: Double
  /// The maximum number of actions of one person.
  let actions: Int
  let seed: UInt64
  let mix: ActionMix
  /// The actions of all people a second; nil for as many as possible.
  let rate: Double?
  /// The number of posts that people look at, give hearts to, and comment on.
  let posts: Int
  let accounts: Accounts
  let isJSON: Bool

  init(_ arguments: ParsedArguments) throws {
    addresses = try arguments.operands.map { text in
      guard let address = LoadAddress(text) else {
        throw UsageError("“\(text)” is not the address of a kennel, such as http://127.0.0.1:8080.")
      }
      guard address.isLoopback || arguments.has("allow-remote") else {
        throw UsageError(
          "\(address.text) is not an address of this machine. A load can stop a service: give --allow-remote only for your own."
        )
      }
      return address
    }
    people = try arguments.integer("people", in: 0...Self.maximumPeople, default: 20)
    listeners = try arguments.integer("listeners", in: 0...Self.maximumListeners, default: 0)
    seconds = min(try arguments.seconds("seconds") ?? 10, 86_400)
    actions = try arguments.integer("actions", in: 1...1_000_000_000, default: 1_000_000_000)
    posts = try arguments.integer("posts", in: 1...100, default: 50)
    isJSON = arguments.has("json")
    let seedText = arguments.value("seed") ?? "1"
    guard let seed = UInt64(seedText) else {
      throw UsageError("--seed must be a number from 0 to \(UInt64.max), not “\(seedText)”.")
    }
    self.seed = seed
    rate = try arguments.value("rate").map { text in
      guard let rate = Double(text), rate.isFinite, (0.01...1_000_000).contains(rate) else {
        throw UsageError("--rate must be a number of actions a second, up to 1000000, not “\(text)”.")
      }
      return rate
    }
    accounts = try Self.accounts(arguments)
    mix = try Self.mix(arguments, accounts)
  }

  private static func accounts(_ arguments: ParsedArguments) throws(UsageError) -> Accounts {
    switch (arguments.value("accounts"), arguments.value("owner"), arguments.value("password-file")) {
    case (nil, nil, nil): return .strangers
    case (let file?, nil, nil): return .file(file)
    case (nil, let owner?, let file?): return .invited(owner: owner, passwordFile: file)
    default: throw UsageError("Give either --accounts, or --owner and --password-file.")
    }
  }

  private static func mix(_ arguments: ParsedArguments, _ accounts: Accounts) throws(UsageError) -> ActionMix
  {
    var isStranger = false
    if case .strangers = accounts { isStranger = true }
    guard let text = arguments.value("mix") else { return isStranger ? .strangers : .everyone }
    guard let mix = ActionMix(text) else {
      throw UsageError(
        "--mix must be a list such as page=10,heart=5, with the kinds \(ActionKind.allCases.map(\.rawValue).joined(separator: ", ")), not “\(text)”."
      )
    }
    if isStranger, mix.hasChanges {
      throw UsageError(
        "Only people with an account give hearts, comment and upload. Give --accounts or --owner.")
    }
    return mix
  }
}

extension LoadOptions {
  private typealias Option = OptionDescription

  static let command = CommandDescription(
    "run", "load kennels and check that nothing is lost", operands: "ADDRESS…", count: 1...64,
    discussion: [
      "Each person does one action after the other. The people are spread over the addresses, and so are the listeners. All addresses must serve the same kennel.",
      "With --rate, actions start at planned times, and their time counts from the planned start: a slow server does not hide the wait of the actions behind. A person whose action is late starts the next one late.",
      "At the end, each listener must have received every event once and in order, also those of the other addresses. Accepted comments and photos must be among them. The number of hearts of each post must be the one that the answered changes give, at every address. Nobody else may change the kennel during the load.",
      "The kennel must have photos, unless the people upload some. The new accounts, photos and comments stay: use a kennel that is only for this.",
      "Each client needs connections: kennel serve --max-connections-per-address N allows more from one address.",
    ],
    options: [
      Option("people", value: "N", "the number of people who act, up to \(maximumPeople) (default: 20)"),
      Option(
        "listeners", value: "N", "the number of listeners to events, up to \(maximumListeners) (default: 0)"),
      Option("seconds", value: "S", "the maximum duration of the load (default: 10)"),
      Option("actions", value: "N", "the maximum number of actions of one person (default: no limit)"),
      Option(
        "seed", value: "N", "the start of the random numbers: an equal seed gives equal actions (default: 1)"),
      Option(
        "mix", value: "KIND=WEIGHT,…",
        "how often each kind is chosen: page, list, thumbnail, unchanged, heart, comment, upload (default: page=10,list=5,thumbnail=50,unchanged=15,heart=15,comment=3,upload=2; without accounts page=10,list=5,thumbnail=60,unchanged=25)"
      ),
      Option("rate", value: "R", "start R actions a second (default: as many as possible)"),
      Option(
        "posts", value: "N", "the number of the latest posts that people look at, up to 100 (default: 50)"),
      Option(
        "accounts", value: "FILE", completion: .files,
        "sign in with the accounts in FILE, one on each line: the name, a colon and the password"),
      Option("owner", value: "NAME", "invite the people as the owner NAME, and create their accounts"),
      Option(
        "password-file", value: "FILE", completion: .files,
        "read the owner's password from the first line of FILE"),
      Option("allow-remote", "allow addresses that are not of this machine"),
      Option("json", "print the report as JSON"),
      Option("help", short: "h", "show help for the command"),
    ],
    examples: [
      .init(
        text: "Visitors of an open kennel look as fast as they can",
        line: "kennel-load run http://127.0.0.1:8080"),
      .init(
        text: "People act 200 times a second at two processes, and 100 listen",
        line:
          "kennel-load run --owner Ada --password-file ada.txt --people 50 --listeners 100 --rate 200 --seconds 60 http://127.0.0.1:8080 http://127.0.0.1:8081"
      ),
    ])
}
