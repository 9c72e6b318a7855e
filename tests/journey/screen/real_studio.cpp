#include "tests/journey/screen/real_studio.hpp"

#include "plugin/base/json.hpp"
#include "tests/fixtures/folders.hpp"

#include <QtGui>
#include <QtTest/QtTest>

#include <algorithm>
#include <memory>
#include <sqlite3.h>
#include <stdexcept>

namespace lowtide::testing {

namespace {

constexpr int kStartPatience = 120000;
constexpr int kFocusMilliseconds = 3000;
constexpr int kActiveMilliseconds = 1000;
constexpr int kPauseMilliseconds = 50;  ///< without questions, which cost the program time
constexpr int kMostTabs = 90;
constexpr int kMostEntries = 30;
constexpr int kEntryMilliseconds = 300;
constexpr const char* kProgram = "lowtide-studio";

[[noreturn]] void fail(const QString& what) {
    throw std::runtime_error(what.toStdString());
}

void write(const QString& path, const std::string& text) {
    QFile file(path);
    if (!file.open(QIODevice::WriteOnly) || file.write(QByteArray::fromStdString(text)) < 0) {
        fail(path + " cannot be written");
    }
}

}  // namespace

RealStudio::RealStudio(const QJsonObject& settings) {
    QJsonObject all{{"version", 1},
                    {"first_start_done", true},
                    {"language", "en"},
                    {"output_folder", path("pictures")}};
    for (const QString& name : settings.keys()) {
        all[name] = settings[name];
    }
    write(path("settings.json"), QJsonDocument(all).toJson().toStdString());
    reader_.emplace(session_);
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert("DBUS_SESSION_BUS_ADDRESS", session_.address());
    environment.insert("XDG_RUNTIME_DIR", session_.runtimeFolder());
    environment.insert("XDG_DATA_HOME", path("home"));
    environment.insert("QT_LINUX_ACCESSIBILITY_ALWAYS_ON", "1");
    environment.insert("LOWTIDE_STUDIO_DATA", folder_.path());
    environment.insert("QT_QPA_PLATFORM", "xcb");
    process_.setProcessEnvironment(environment);
    process_.setProcessChannelMode(QProcess::ForwardedChannels);
    process_.setWorkingDirectory(folder_.path());
    endWithTest(process_);
}

RealStudio::~RealStudio() {
    kill();
}

QString RealStudio::copyGraph(const QString& source, int steps, const QString& name) {
    Json graph = parseJson(contentsOf(sourcePath(source)).toStdString(), "graph");
    for (auto& [id, node] : graph["nodes"].items()) {
        if (node.contains("params") && node["params"].contains("steps")) {
            node["params"]["steps"] = steps;
            node["seed_modes"]["seed"] = "random";
        }
    }
    write(path(name), graph.dump());
    return path(name);
}

void RealStudio::start(const QString& graph) {
    reader_->enlist();
    process_.start(buildPath("bin/lowtide-studio"),
                   graph.isEmpty() ? QStringList() : QStringList{graph});
    const std::optional<Object> program =
        process_.waitForStarted() ? reader_->program(kProgram, kStartPatience) : std::nullopt;
    if (!program) {
        fail("the studio does not start");
    }
    program_ = *program;
    reader_->withdraw(program_);
    waitUntil(
        "the nodes of the graph",
        [this] {
            const std::optional<Object> canvas = reader_->seen(program_, Role::List, "Graph");
            return canvas && !reader_->children(*canvas).empty();
        },
        kStartPatience);
    screen_.focusUppermost();
}

void RealStudio::kill() {
    process_.kill();
    process_.waitForFinished();
}

void RealStudio::waitForEnd() {
    if (process_.state() != QProcess::NotRunning && !process_.waitForFinished(kPatience)) {
        fail("the studio does not end");
    }
}

QStringList RealStudio::images() const {
    return QDir(path("pictures")).entryList({"*.png"}, QDir::Files, QDir::Name);
}

QJsonValue RealStudio::setting(const QString& name) const {
    return QJsonDocument::fromJson(contentsOf(path("settings.json"))).object()[name];
}

QStringList RealStudio::kept(const QString& statement) const {
    sqlite3* opened = nullptr;
    const int problem =
        sqlite3_open_v2(path("runs/runs.sqlite").toUtf8(), &opened, SQLITE_OPEN_READWRITE, nullptr);
    const std::unique_ptr<sqlite3, decltype(&sqlite3_close)> database(opened, &sqlite3_close);
    QStringList values;
    const auto take = [](void* list, int, char** columns, char**) {
        static_cast<QStringList*>(list)->append(QString::fromUtf8(columns[0]));
        return 0;
    };
    sqlite3_busy_timeout(opened, kPatience);
    if (problem != SQLITE_OK ||
        sqlite3_exec(opened, statement.toUtf8(), take, &values, nullptr) != SQLITE_OK) {
        fail("the file of runs: " + QString::fromUtf8(sqlite3_errmsg(opened)));
    }
    return values;
}

void RealStudio::waitUntil(const QString& what,
                           const std::function<bool()>& isSo,
                           int milliseconds) {
    QElapsedTimer waited;
    waited.start();
    bool isTrue = isSo();
    while (!isTrue && !waited.hasExpired(milliseconds)) {
        QTest::qWait(kPauseMilliseconds);
        isTrue = isSo();
    }
    if (!isTrue) {
        keep("missing");
        fail("it does not come about: " + what + "; “" + focusedName() + "” has the keyboard");
    }
}

RealStudio::Object RealStudio::shown(Role role, const QString& beginning) {
    return shown(program_, role, beginning);
}

RealStudio::Object RealStudio::shown(const Object& root, Role role, const QString& beginning) {
    std::optional<Object> found;
    waitUntil("“" + beginning + "” is seen", [&] {
        found = reader_->seen(root, role, beginning);
        return found.has_value();
    });
    return *found;
}

bool RealStudio::isShown(Role role, const QString& beginning) {
    return reader_->seen(program_, role, beginning).has_value();
}

void RealStudio::waitGone(Role role, const QString& beginning) {
    waitUntil("“" + beginning + "” goes", [&] { return !isShown(role, beginning); });
}

void RealStudio::waitHeard(const QString& words, int milliseconds) {
    waitUntil(
        "“" + words + "” is announced",
        [&] {
            const QStringList& message = reader_->announcements();
            for (; heard_ < message.size(); ++heard_) {
                if (message[heard_].contains(words)) {
                    ++heard_;
                    return true;
                }
            }
            return false;
        },
        milliseconds);
}

void RealStudio::click(Role role, const QString& beginning, Button button) {
    click(shown(role, beginning), button);
}

void RealStudio::click(const Object& object, Button button) {
    const QString name = reader_->name(object);
    waitUntil("“" + name + "” can be clicked", [&] {
        return !reader_->rect(object).isEmpty() && reader_->is(object, AtSpi::State::Enabled);
    });
    screen_.focusUppermost();
    beforeClick_ = reader_->focusMoves();
    screen_.click(reader_->rect(object).center(), button);
    settle();
}

void RealStudio::click(const Object& root, Role role, const QString& beginning) {
    click(shown(root, role, beginning));
}

void RealStudio::clickOften(const Object& object, int times) {
    screen_.focusUppermost();
    screen_.clickOften(reader_->rect(object).center(), times);
    settle();
}

void RealStudio::clickMenu(const QStringList& entries) {
    Object menu = program_;
    for (const QString& entry : entries) {
        menu = shown(menu, Role::MenuItem, entry);
        click(menu);
    }
}

/// Of a menu nothing is reported but the entry under the pointer, and of no entry that is disabled.
void RealStudio::clickEntry(const QString& beginning) {
    std::optional<Object> wanted;
    const auto isReported = [&] {
        const std::optional<Object> at =
            reader_->focusMoves() > beforeClick_ ? reader_->focused() : std::nullopt;
        const std::optional<Object> menu = at ? reader_->parent(*at) : std::nullopt;
        wanted = menu ? reader_->seen(*menu, Role::MenuItem, beginning) : std::nullopt;
        if (menu && !wanted) {  // the field of a list has the keyboard
            wanted = reader_->seen(*menu, Role::ListItem, beginning);
        }
        return wanted.has_value();
    };
    for (int moves = 0; !isReported() && moves < kMostEntries; ++moves) {
        screen_.nudge();
        static_cast<void>(QTest::qWaitFor(isReported, kEntryMilliseconds));
    }
    if (!wanted) {
        keep("missing");
        fail("there is no entry “" + beginning + "”");
    }
    screen_.click(reader_->rect(*wanted).center());
    settle();
}

void RealStudio::choose(const QString& chooser, const QString& line) {
    click(Role::ComboBox, chooser);
    std::optional<Object> wanted;
    waitUntil("the line “" + line + "”", [&] {
        const std::optional<Object> at =
            reader_->focusMoves() > beforeClick_ ? reader_->focused() : std::nullopt;
        const std::optional<Object> list =
            at && reader_->role(*at) != Role::List ? reader_->parent(*at) : at;
        wanted = list ? reader_->seen(*list, Role::ListItem, line) : std::nullopt;
        return wanted.has_value();
    });
    QTest::qWait(2 * QGuiApplication::styleHints()->mouseDoubleClickInterval());
    screen_.click(reader_->rect(*wanted).center());
    settle();
}

/// What the program reports after that comes behind what it reported of them.
void RealStudio::settle() {
    const auto isRunning = [this] {
        return process_.state() != QProcess::NotRunning && !process_.waitForFinished(0);
    };
    if (!screen_.waitTaken(isRunning, kPatience)) {
        keep("missing");
        fail("the studio does not answer the X server");
    }
    // A window that is not active yet takes no shortcut: Alt is its menu bar's then.
    static_cast<void>(QTest::qWaitFor(
        [&] {
            const std::vector<Object> windows = reader_->children(program_);
            return !isRunning() ||
                   std::any_of(windows.begin(), windows.end(), [this](const Object& window) {
                       return reader_->is(window, AtSpi::State::Active);
                   });
        },
        kActiveMilliseconds));
    QCoreApplication::sendPostedEvents();
}

void RealStudio::press(const QStringList& keys) {
    for (const QString& key : keys) {
        screen_.focusUppermost();
        settle();
        screen_.press({key});
        settle();
    }
}

void RealStudio::type(const QString& text) {
    screen_.focusUppermost();
    settle();
    screen_.type(text);
    settle();
}

bool RealStudio::isFocused(Role role, const QString& beginning) {
    const std::optional<Object>& at = reader_->focused();
    return at && reader_->role(*at) == role && reader_->name(*at).startsWith(beginning);
}

QString RealStudio::focusedName() {
    return reader_->focused() ? reader_->name(*reader_->focused()) : QString();
}

void RealStudio::waitFocused(Role role, const QString& beginning) {
    waitUntil("“" + beginning + "” has the keyboard", [&] { return isFocused(role, beginning); });
}

QString RealStudio::selectedRow(const QString& list) {
    for (const Object& row : reader_->children(shown(Role::List, list))) {
        if (reader_->is(row, AtSpi::State::Selected)) {
            return reader_->name(row);
        }
    }
    return {};
}

void RealStudio::selectRow(const QString& list, const QString& beginning, const QString& key) {
    press({"End", "Home"});
    // A row's name states whether it is one of several that are selected, so it may change.
    waitUntil("the first row is selected", [&] {
        return selectedRow(list) ==
               reader_->name(shown(shown(Role::List, list), Role::ListItem, {}));
    });
    QString at = selectedRow(list);
    while (!at.startsWith(beginning)) {
        const QString before = at;
        press({key});
        waitUntil("a row beyond " + before, [&] {
            at = selectedRow(list);
            return !at.isEmpty() && at != before;
        });
    }
}

RealStudio::Object RealStudio::goTo(Role role, const QString& beginning, const QString& key) {
    QStringList stops;
    screen_.focusUppermost();
    settle();
    while (!isFocused(role, beginning)) {
        const size_t before = reader_->focusMoves();
        press({key});
        const bool isMoved =
            QTest::qWaitFor([&] { return reader_->focusMoves() > before; }, kFocusMilliseconds);
        stops << focusedName();
        if (!isMoved || stops.size() > kMostTabs) {
            keep("missing");
            fail(key + " does not come to “" + beginning + "”, only to: " + stops.join(" | "));
        }
    }
    return *reader_->focused();
}

}  // namespace lowtide::testing
