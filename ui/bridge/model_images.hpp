#pragma once

#include "ui/bridge/model_shelf.hpp"

#include <QCache>
#include <QThreadPool>

#include <deque>
#include <functional>
#include <set>

namespace lowtide::ui {

/// Thumbnails of models: the one that the user chose, else one that lies next to the file as
/// A1111, ComfyUI and their friends put it there, else the last one that was made with it. Read on
/// another thread when they are first asked for, the newest question first, in bounded memory.
/// `shelf` must outlive it. GUI thread only.
class ModelImages : public QObject {
    Q_OBJECT

public:
    /// Longest side.
    static constexpr int kPixels = 96;
    static constexpr int kMostImages = 400;
    /// Of those that wait to be read; older questions are forgotten, and asked again when seen.
    static constexpr size_t kMostWaiting = 64;

    /// The last image that was made with a model of that file name; null: there is none.
    using Earlier = std::function<void(const QString& name, std::function<void(QImage)> done)>;

    explicit ModelImages(const ModelShelf& shelf, QObject* parent = nullptr);
    ~ModelImages() override;

    void setEarlier(Earlier earlier) { earlier_ = std::move(earlier); }

    /// What was read before; asks nothing, so that painting may call it.
    [[nodiscard]] std::optional<QImage> known(const FoundModel& model) const;
    /// Null: there is none, or it is not read yet; then made() follows.
    [[nodiscard]] QImage find(const FoundModel& model);
    /// A file, or what was chosen for it, has changed.
    void forget(const std::string& path);
    void forgetAll();

Q_SIGNALS:
    void made(const std::string& path);

private:
    struct Wanted {
        std::string path;
        QString chosen;
    };

    void readNext();
    void take(const std::string& path, const QImage& image);
    void keep(const std::string& path, const QImage& image);

    const ModelShelf& shelf_;
    Earlier earlier_;
    QCache<QString, QImage> images_;
    std::deque<Wanted> waiting_;
    std::set<std::string> asked_;  ///< waiting or being read
    bool isReading_ = false;
    QThreadPool pool_;
};

/// Files next to a model that may describe it: "x.txt", "x.md".
[[nodiscard]] QStringList noteNamesFor(const std::string& path);

}  // namespace lowtide::ui
