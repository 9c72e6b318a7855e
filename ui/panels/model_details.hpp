#pragma once

#include "ui/bridge/model_images.hpp"
#include "ui/bridge/model_plans.hpp"
#include "ui/bridge/model_shelf.hpp"

#include <QWidget>

#include <optional>

class QLabel;
class QPlainTextEdit;
class QProgressBar;
class QTimer;
class QToolButton;

namespace lowtide::ui {

/// What is known of one model: its image, hash and the user's note, which can be changed here.
/// `shelf` and `images` must outlive it.
class ModelDetails : public QWidget {
    Q_OBJECT

public:
    ModelDetails(ModelShelf& shelf, ModelImages& images, QWidget* parent = nullptr);
    ~ModelDetails() override;

    /// nullopt: nothing is selected. A note that was typed is kept first.
    void show(const std::optional<FoundModel>& model);
    void setFit(const QString& text);

Q_SIGNALS:
    void imageAsked();

private:
    void build();
    void showRunImage();
    void showHash();
    void showNote();
    void lookForNote();
    void keepNote();
    void copyHash();

    ModelShelf& shelf_;
    ModelImages& images_;
    std::optional<FoundModel> model_;
    QLabel* image_;
    QLabel* name_;
    QLabel* facts_;
    QLabel* hash_;
    QToolButton* makeHash_;
    QToolButton* copyHash_;
    QToolButton* setImage_;
    QProgressBar* progress_;
    QPlainTextEdit* note_;
    QTimer* rest_;
    QString fit_;
};

}  // namespace lowtide::ui
