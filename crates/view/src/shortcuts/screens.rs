//! The table of screens besides the war room, in the palette's order: path segment; title and search words in the
//! palette; place in the list of the help screen.
//!
//! The build includes this file too, and writes a page for each path.

screens! {
    Settings: "settings", common::SETTINGS,
        Text("preferences options configuration api key providers"), Some(4);
    Audit: "audit", common::EVENT_LOG, Text("audit events log history trail trace"), Some(3);
    Tree: "tree", common::TREE, Text("turns branches forks merge graph history"), Some(1);
    Run: "run", palette::RUN_GRAPH, Text("nodes edges agents diagram replay transcript export"), None;
    Usage: "usage", common::USAGE, Text("tokens cost money spending statistics billing day model"), Some(2);
    Help: "help", common::HELP, Text("about version glossary terms documentation docs manual guide how to"), None;
    Inspect: "inspect", palette::INSPECT, Text("inspector request response tokens cost context"), None;
}
