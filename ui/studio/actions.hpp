#pragma once

#include "ui/canvas/canvas_commands.hpp"

#include <QAction>
#include <QKeySequence>
#include <QList>
#include <QObject>

#include <map>
#include <string>
#include <utility>
#include <vector>

class QMenu;
class QMenuBar;

namespace lowtide::ui {

/// Every action, in the order of menus.
[[nodiscard]] std::vector<ActionDesc> actionTable();

/// The registry of what the studio can do: one QAction for each row of actionTable(), with keys
/// that the user may change.
class Actions : public QObject {
    Q_OBJECT

public:
    explicit Actions(QObject* parent = nullptr);

    /// An unknown id is a bug of ours and ends the program.
    [[nodiscard]] QAction& at(const std::string& id) const;

    /// Calls `act` when the action is triggered, while `context` is there.
    template <class Context, class Act>
    void on(const std::string& id, Context* context, Act act) const {
        connect(&at(id), &QAction::triggered, context, std::move(act));
    }

    /// Texts and tips in the language of the program.
    void retranslate();

    [[nodiscard]] QList<QKeySequence> defaultKeys(const std::string& id) const;
    /// Gives an action other keys; updates its tooltip too.
    void setKeys(const std::string& id, const QList<QKeySequence>& keys);
    /// The other action that has one of these keys; empty: none. Ids.
    [[nodiscard]] std::string usedBy(const QList<QKeySequence>& keys,
                                     const std::string& except) const;

    /// Keys that differ from the defaults, by id: "run.start" -> "F5".
    [[nodiscard]] std::map<QString, QString> changedKeys() const;
    /// As changedKeys() gave; an unknown id is left out, every other action gets its default.
    void setChangedKeys(const std::map<QString, QString>& keys);

Q_SIGNALS:
    void keysChanged();

private:
    struct Entry {
        ActionDesc desc;
        QAction* action;
    };

    void applyKeys(const Entry& entry, const QList<QKeySequence>& keys);

    std::map<std::string, Entry> entries_;
};

/// "Ctrl+Z Ctrl+Y": what keysFromText() reads.
[[nodiscard]] QString toText(const QList<QKeySequence>& keys);
/// The text of an action without the mark of its access key, "(&O)" as a whole, and without dots.
[[nodiscard]] QString plainText(const QAction& action);
[[nodiscard]] QString plainText(QString text);

/// Ties the actions of the canvas to its commands, and gives it the keys that the user chose.
void connectCanvas(const Actions& actions, GraphView& view);

/// Fills the bar from the menu paths of the registry.
void fillMenus(QMenuBar& bar, const Actions& actions);
/// The menu of that path ("Node/Align"), made where it is missing.
[[nodiscard]] QMenu* menuAt(QMenuBar& bar, const QString& path);
/// The titles on the way to a menu as the user reads them: "Node: Align".
[[nodiscard]] QString menuTitles(const char* path);

}  // namespace lowtide::ui
