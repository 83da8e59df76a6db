"""Drives a daemon with the official Ollama client: ollama_client.py URL

Each line of standard input is a JSON object: {"do": what, ...}. Each gets one line of JSON on standard output. What the
client raises is told as {"raised": class, "status": code, "error": text}.
"""

import json
import sys

import ollama

URL = sys.argv[1]


def client(order):
    conversation = order.get("conversation")
    headers = {"X-Conversation-Id": conversation} if conversation else {}
    return ollama.Client(host=URL, headers=headers, timeout=180)


def options(order):
    return {"temperature": 0, "num_predict": order.get("predict", 16)}


def chat(order):
    return client(order).chat(
        model=order.get("model", "tertulia"),
        messages=[{"role": "user", "content": order["prompt"]}],
        stream=order.get("stream", False),
        options=options(order),
    )


def generate(order):
    return client(order).generate(
        model=order.get("model", "tertulia"),
        prompt=order["prompt"],
        stream=order.get("stream", False),
        options=options(order),
    )


def gathered(text_of, answer, order):
    """The answer in pieces; with "pieces", the stream is closed after so many."""
    if not order.get("stream"):
        return {"text": text_of(answer), "end": end(answer)}
    texts, last = [], None
    for part in answer:
        last = part
        texts.append(text_of(part))
        if len(texts) == order.get("pieces"):
            answer.close()
            return {"texts": texts}
    return {"texts": texts, "text": "".join(texts), "end": end(last)}


def end(part):
    return {
        "done": part.done,
        "reason": part.done_reason,
        "model": part.model,
        "prompt_tokens": part.prompt_eval_count,
        "tokens": part.eval_count,
    }


DEEDS = {
    "list": lambda order: [model.model for model in client(order).list().models],
    "show": lambda order: client(order).show(order.get("model", "tertulia")).model_dump(mode="json"),
    "ps": lambda order: [model.model for model in client(order).ps().models],
    "chat": lambda order: gathered(lambda part: part.message.content or "", chat(order), order),
    "generate": lambda order: gathered(lambda part: part.response or "", generate(order), order),
}

for line in sys.stdin:
    order = json.loads(line)
    try:
        result = DEEDS[order["do"]](order)
    except ollama.ResponseError as error:
        result = {"raised": "ResponseError", "status": error.status_code, "error": error.error}
    print(json.dumps(result), flush=True)
