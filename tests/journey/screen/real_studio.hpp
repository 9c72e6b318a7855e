#pragma once

#include "tests/fixtures/guarded_test.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/journey/screen/at_spi.hpp"
#include "tests/journey/screen/screen.hpp"

#include <functional>
#include <optional>

namespace lowtide::testing {

/// The program in a window on a screen, known from outside alone: read through AT-SPI, worked with
/// the pointer and the keyboard. Whatever is looked for is waited for; what does not come throws
/// std::runtime_error with its name.
class RealStudio {
public:
    using Object = AtSpi::Object;
    using Role = AtSpi::Role;
    using Button = Screen::Button;

    static constexpr int kPatience = 30000;      ///< milliseconds until something is seen
    static constexpr int kRunPatience = 300000;  ///< milliseconds of runs

    /// With these in addition to the settings of the tests.
    explicit RealStudio(const QJsonObject& settings = {});
    ~RealStudio();

    /// A graph of the sources as a file of the data folder, with so many steps and a new seed for
    /// each run; its path.
    QString copyGraph(const QString& source, int steps, const QString& name = "graph.json");
    /// Opens the graph, empty: none; waits until its nodes are seen.
    void start(const QString& graph = {});
    /// The process is killed.
    void kill();
    /// Waits for the process to end by itself.
    void waitForEnd();

    /// Of its data; images are in "images" there.
    [[nodiscard]] QString path(const QString& relative) const { return folder_.filePath(relative); }

    /// Files of "pictures" with the ending of a PNG, by name.
    [[nodiscard]] QStringList images() const;
    /// What its file of settings holds; null: nothing.
    [[nodiscard]] QJsonValue setting(const QString& name) const;
    /// The first column of what the file of runs holds, read next to the studio.
    [[nodiscard]] QStringList kept(const QString& statement) const;

    [[nodiscard]] AtSpi& reader() { return *reader_; }

    [[nodiscard]] const Object& program() const { return program_; }

    [[nodiscard]] const Screen& screen() const { return screen_; }

    /// The visible object of that role whose name begins so.
    Object shown(Role role, const QString& beginning);
    Object shown(const Object& root, Role role, const QString& beginning);
    /// Now, without waiting.
    [[nodiscard]] bool isShown(Role role, const QString& beginning);
    void waitGone(Role role, const QString& beginning);
    void waitUntil(const QString& what,
                   const std::function<bool()>& isSo,
                   int milliseconds = kPatience);
    /// An announcement with that in it since the last call that found one.
    void waitHeard(const QString& words, int milliseconds = kPatience);

    void click(Role role, const QString& beginning, Button button = Button::Left);
    void click(const Object& object, Button button = Button::Left);
    void click(const Object& root, Role role, const QString& beginning);
    /// Two times: a double click. Three times: all of a field.
    void clickOften(const Object& object, int times = 2);
    /// "Run", "Run several times...".
    void clickMenu(const QStringList& entries);
    /// In the menu or list that is open, whichever: by its report of what is under the pointer.
    void clickEntry(const QString& beginning);
    /// Opens the list of a chooser by a click and clicks the line.
    void choose(const QString& chooser, const QString& line);

    void press(const QStringList& keys);
    void type(const QString& text);
    /// Presses the key until what has the keyboard is of that role and its name begins so.
    Object goTo(Role role, const QString& beginning, const QString& key = "Tab");
    /// In the list that has the keyboard: from the first row on, pressing the key, to the row whose
    /// name begins so.
    void selectRow(const QString& list, const QString& beginning, const QString& key = "Down");
    /// Waits until that has the keyboard.
    void waitFocused(Role role, const QString& beginning);
    [[nodiscard]] QString focusedName();

    /// A screenshot for whoever looks.
    void keep(const QString& name) const { screen_.keep(name); }

private:
    /// Waits until the program has taken all keys and clicks, and its reports of them are heard.
    void settle();
    [[nodiscard]] QString selectedRow(const QString& list);
    [[nodiscard]] bool isFocused(Role role, const QString& beginning);

    QTemporaryDir folder_;
    PrivateBus session_;
    std::optional<AtSpi> reader_;
    Screen screen_;
    QProcess process_;
    Object program_;
    qsizetype heard_ = 0;
    size_t beforeClick_ = 0;  ///< moves of the focus before the last click
};

}  // namespace lowtide::testing

/// A test of a RealStudio; what a helper throws fails one function of it.
#define LOWTIDE_SCREEN_TEST(Class) \
    LOWTIDE_TEST_UNDER(QGuiApplication, lowtide::testing::GuardedTest<Class>)
