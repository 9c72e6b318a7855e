#pragma once

#include "ui/access/spoken.hpp"
#include "ui/document/graph_model.hpp"

#include <QFrame>

#include <array>
#include <functional>
#include <vector>

namespace lowtide::ui {

enum class NoticeKind { Info, Warning, Error, Success };

/// A short list over a part of the window that reports something without stopping the work, errors
/// first, then warnings. What is about one document is shown with that one. Every notice is a line
/// of the log too: what no longer fits is not lost.
class NoticeBar : public QFrame, public Spoken {
    Q_OBJECT

public:
    /// Warnings and errors that are shown at once; of the rest the newest alone, and the newest
    /// that can be undone.
    static constexpr size_t kMostProblems = 3;

    /// Lies at the top of `over`, which is in `parent` or is it. The parent must be one whose
    /// children a screen reader is notified of: a QStackedWidget's are its pages alone.
    NoticeBar(QWidget& over, QWidget* parent);
    ~NoticeBar() override;

    /// With at most one button for what can be done about it. The number is for withdraw().
    quint64 show(NoticeKind kind,
                 const QString& text,
                 const QString& button = {},
                 std::function<void()> act = {});
    /// The same about the document in front: it is shown with that one alone, and goes with it.
    quint64 showOfDocument(NoticeKind kind,
                           const QString& text,
                           const QString& button = {},
                           std::function<void()> act = {});
    /// The same of what was just done, with the button that takes it back: news of other things
    /// leave it.
    quint64 offerUndo(const QString& text, std::function<void()> undo);
    /// A condition, named by `what`, that holds until end(what): nothing takes its place, and it
    /// cannot be closed.
    void stand(const QString& what,
               NoticeKind kind,
               const QString& text,
               const QString& button = {},
               std::function<void()> act = {});
    void end(const QString& what);
    /// It no longer holds; one that has gone already is no matter.
    void withdraw(quint64 notice);
    /// Another document is in front.
    void setDocument(DocumentId document);
    /// The document is closed.
    void forget(DocumentId document);
    /// Whether it lies at the bottom of the widget below it.
    void setAtBottom(bool isAtBottom);

    /// Of what is shown, a line each, the first on top.
    [[nodiscard]] QString text() const;

    [[nodiscard]] QAccessible::Role spokenRole() const override {
        return QAccessible::Notification;
    }

    [[nodiscard]] QString spokenText() const override { return {}; }

Q_SIGNALS:
    /// So many pixels of what it lies over are behind it now.
    void heightChanged(int pixels);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    class Row;

    struct Notice {
        quint64 number = 0;
        NoticeKind kind = NoticeKind::Info;
        QString text;
        QString button;
        std::function<void()> act;
        QString standing;         ///< the condition; empty: it can be closed
        bool isUndo = false;      ///< it can be undone
        DocumentId document = 0;  ///< which it is about; 0: none
    };

    quint64 add(Notice notice);
    [[nodiscard]] bool isSeen(const Notice& notice) const;
    [[nodiscard]] std::vector<const Notice*> seen() const;
    void removeIf(const std::function<bool(const Notice&)>& isGone);
    void reserveSpace();
    void showRows();
    void reposition();

    QWidget& over_;
    bool isAtBottom_ = false;
    int height_ = 0;               ///< as it was reported
    DocumentId document_ = 0;      ///< in front; 0: none
    std::vector<Notice> notices_;  ///< in the order in which they are shown
    std::array<Row*, kMostProblems + 2> rows_{};
    quint64 last_ = 0;
};

}  // namespace lowtide::ui
